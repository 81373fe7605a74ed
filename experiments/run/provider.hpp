#pragma once
// Connects a run's operators to the provider of its language model.

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "archive/run_reader.hpp"
#include "core/llm_client.hpp"
#include "experiments/run/config/experiment.hpp"

namespace ke {

class LlmBudget;

/// A client with its budget.
class Provider {
 public:
  using Variable = std::function<std::optional<std::string>(const std::string&)>;

  /// `spent`: costs of earlier sessions of the run in `run_file`. Relative folders are resolved
  /// against that file's folder. There is no client without a section llm.
  Provider(const Experiment& experiment, const std::string& run_file, const RunCosts& spent,
           Variable variable);
  ~Provider();

  LlmClient* client() { return client_.get(); }

 private:
  std::unique_ptr<LlmBudget> budget_;
  std::unique_ptr<LlmClient> client_;
};

}  // namespace ke
