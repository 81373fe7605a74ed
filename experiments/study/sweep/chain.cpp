#include "experiments/study/sweep/chain.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "experiments/run/assemble.hpp"
#include "experiments/run/atomic_file.hpp"
#include "experiments/run/config/document.hpp"
#include "experiments/run/run_files.hpp"
#include "experiments/study/summary/distil.hpp"

namespace ke {
namespace {

namespace fs = std::filesystem;

void pin(Node& experiment, const std::string& file, const std::string& text) {
  Node value = scalar_node(file, experiment.find("memory")->place);
  value.quoted = true;
  experiment.set("memory.snapshot", value);
  value.scalar = sha256(text).hex();
  experiment.set("memory.sha256", value);
}

/// Lessons of the earlier runs in the chain, one per line.
Result<std::string> learned_before(const Sweep& sweep, const SweepRun& run,
                                   const std::string& folder) {
  std::string text;
  for (std::size_t task = 0; task < run.task; ++task) {
    const std::string file =
        run_file_name(sweep.arms[run.arm].spec.name, sweep.subject(run.arm, task).name, run.seed);
    KE_TRY(const auto reader, RunReader::open((fs::path(folder) / file).string()));
    KE_TRY(const auto lessons, distil(*reader));
    for (const Lesson& lesson : lessons) text += lesson_line(lesson) + "\n";
  }
  return text;
}

}  // namespace

void begin_chain(Node& experiment, std::vector<std::string>& errors) {
  const Node* memory = experiment.find("memory");
  if (memory == nullptr || memory->kind != Node::Kind::map) return;
  for (const char* key : {"snapshot", "sha256"}) {
    const Node* given = memory->find(key);
    if (given == nullptr) continue;
    errors.push_back(
        fmt::format("{}: 'memory.{}' is not for a sweep with 'chain: tasks', whose "
                    "runs learn from each other alone",
                    given->place.text(), key));
    return;
  }
  pin(experiment, "/dev/null", "");
}

Result<ChainedRun> continue_chain(const Sweep& sweep, const SweepRun& run,
                                  const std::string& folder) {
  KE_TRY(const std::string text, learned_before(sweep, run, folder));
  const auto file = fs::absolute(fs::path(folder) / run.file).replace_extension(".lessons.jsonl");
  KE_TRY_VOID(write_atomically(file.string(), text));
  const Experiment& planned = sweep.arms[run.arm].experiments[run.task];
  Node document = planned.document;
  pin(document, file.string(), text);
  KE_TRY(Experiment experiment, read_experiment(std::move(document), planned.name));
  Subject subject = sweep.subject(run.arm, run.task);
  KE_TRY(subject.lessons, remembered(*experiment.memory, subject, folder));
  return ChainedRun{std::move(experiment), std::move(subject)};
}

}  // namespace ke
