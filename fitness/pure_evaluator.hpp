#pragma once
// An evaluator whose answers are a pure function of the job, for simulations.

#include <functional>
#include <memory>

#include "core/evaluator.hpp"

namespace ke {

/// Answers each job with `answer`, which must be pure. With info.lanes = 1 `submit` calls it
/// directly, without threads or locks; with more lanes, that many threads call it in any order.
std::unique_ptr<Evaluator> make_pure_evaluator(EvaluatorInfo info,
                                               std::function<Fact(const Job&)> answer);

}  // namespace ke
