#pragma once
// The Python DSLs whose kernels can be compiled: each is a language of kernels.

#include <string_view>

namespace ke::python {

inline constexpr std::string_view dsls[] = {"triton"};

}  // namespace ke::python
