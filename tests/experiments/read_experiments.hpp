#pragma once
// Experiments from texts, from configs/ and from their own canonical texts.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/run/config/document.hpp"
#include "experiments/run/config/experiment.hpp"
#include "experiments/run/yaml/read_yaml.hpp"

namespace ke::test {

inline Result<Experiment> experiment_of(std::string_view yaml,
                                        const std::vector<std::string>& overrides = {}) {
  KE_TRY(Node document, read_yaml_text("e.yaml", yaml));
  KE_TRY_VOID(write_out_short_forms(document, "."));
  for (const std::string& one : overrides) KE_TRY_VOID(apply_override(document, one, "."));
  return read_experiment(std::move(document), "e");
}

/// Reads a file of configs/, which must be right.
inline Experiment shipped_experiment(const std::string& file,
                                     const std::vector<std::string>& overrides = {}) {
  const std::filesystem::path path = KE_SOURCE_DIR "/configs/" + file;
  auto document = load_document(path.string(), overrides);
  EXPECT_TRUE(document) << document.error().message;
  auto experiment = read_experiment(*std::move(document), path.stem().string());
  EXPECT_TRUE(experiment) << experiment.error().message;
  return *std::move(experiment);
}

/// Reads the canonical text, to which `task` belongs, as a run file that is `stored` so would be.
inline Experiment read_back(const Experiment& experiment, const std::string& task,
                            bool stored = false) {
  Node document = document_of_canonical(experiment.canonical_text, "run.kev");
  document.stored = stored;
  document.set("task", document_of_canonical("task = " + task, "run.kev").entries[0].value);
  auto again = read_experiment(std::move(document), experiment.name);
  EXPECT_TRUE(again) << again.error().message;
  return *std::move(again);
}

}  // namespace ke::test
