#pragma once
// Caches an evaluator's answers in a folder, so that nothing is measured twice.

#include <string>

#include "core/evaluator.hpp"

namespace ke {

class KeptAnswers {
 public:
  /// The folder is created when the first answer is stored.
  KeptAnswers(Evaluator& evaluator, std::string folder)
      : evaluator_(evaluator), folder_(std::move(folder)) {}

  /// Returns the stored answer, or measures one that is durable on return. Asks up to three times
  /// while the machine is too noisy; does not store an answer that stays noisy.
  Result<Fact> ask(const Job& job);

 private:
  Evaluator& evaluator_;
  std::string folder_;
};

}  // namespace ke
