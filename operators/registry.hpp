#pragma once
// The table of operators.

#include "core/operator.hpp"
#include "core/params.hpp"
#include "core/registry.hpp"

namespace ke {

using OperatorFactory = std::unique_ptr<Operator> (*)(Params&);

/// All operators, sorted by name.
std::span<const Component<OperatorFactory>> operators();

#define KE_OPERATOR(name, doc) std::unique_ptr<Operator> make_##name##_operator(Params& params);
#include "operators/operators.def"
#undef KE_OPERATOR

}  // namespace ke
