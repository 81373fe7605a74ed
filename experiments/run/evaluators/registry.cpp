#include "experiments/run/evaluators/evaluator_kind.hpp"

namespace ke {
namespace {

#define KE_EVALUATOR(name, doc) {#name, doc, &make_##name##_kind},
constexpr Component<EvaluatorKindFactory> table[] = {
#include "experiments/run/evaluators/evaluators.def"
};
#undef KE_EVALUATOR

}  // namespace

std::span<const Component<EvaluatorKindFactory>> evaluator_kinds() { return table; }

}  // namespace ke
