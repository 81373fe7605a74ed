#include "operators/registry.hpp"

namespace ke {
namespace {

#define KE_OPERATOR(name, doc) {#name, doc, &make_##name##_operator},
constexpr Component<OperatorFactory> table[] = {
#include "operators/operators.def"
};
#undef KE_OPERATOR

}  // namespace

std::span<const Component<OperatorFactory>> operators() { return table; }

}  // namespace ke
