#pragma once
// An evaluator's answers, kept in a folder: what was measured once is not measured again.

#include <string>

#include "core/evaluator.hpp"

namespace ke {

class KeptAnswers {
 public:
  /// The folder is made when the first answer is kept.
  KeptAnswers(Evaluator& evaluator, std::string folder)
      : evaluator_(evaluator), folder_(std::move(folder)) {}

  /// The kept answer, or a new one, durable when it returns. Asked up to three times while the
  /// machine is too noisy to tell; what stays so is not kept.
  Result<Fact> ask(const Job& job);

 private:
  Evaluator& evaluator_;
  std::string folder_;
};

}  // namespace ke
