#pragma once
// An evaluator whose answers are a function of the job: simulated ones.

#include <functional>
#include <memory>

#include "core/evaluator.hpp"

namespace ke {

/// Answers each job by `answer`, which must be pure. With info.lanes = 1 that happens inside
/// `submit`, without a thread or a lock; with more, on that many threads, in any order.
std::unique_ptr<Evaluator> make_pure_evaluator(EvaluatorInfo info,
                                               std::function<Fact(const Job&)> answer);

}  // namespace ke
