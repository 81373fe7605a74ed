#pragma once
// The Python DSLs that have an adapter: each is a language of kernels.

#include <string_view>

namespace ke::python {

inline constexpr std::string_view dsls[] = {"triton", "cute", "flydsl"};

/// The DSL that a source imports first; without an import of any, the first of the list.
std::string_view dsl_of_source(std::string_view source);

/// Why no NVIDIA GPU can run a DSL's kernels, or "".
std::string_view refusal_on_nvidia(std::string_view dsl);

}  // namespace ke::python
