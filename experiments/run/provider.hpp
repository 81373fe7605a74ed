#pragma once
// Who answers the operators of a run that ask a language model.

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "archive/run_reader.hpp"
#include "core/llm_client.hpp"
#include "experiments/experiment.hpp"

namespace ke {

class LlmBudget;

/// A client with the budget that it keeps to.
class Provider {
 public:
  using Variable = std::function<std::optional<std::string>(const std::string&)>;

  /// `spent`: what earlier sessions of the run in `run_file` took. Relative folders are beside that
  /// file. Without a section llm there is no client.
  Provider(const Experiment& experiment, const std::string& run_file, const RunCosts& spent,
           Variable variable);
  ~Provider();

  LlmClient* client() { return client_.get(); }

 private:
  std::unique_ptr<LlmBudget> budget_;
  std::unique_ptr<LlmClient> client_;
};

}  // namespace ke
