#pragma once
// From libraries that `dispatch` made to a Python package with an operator of PyTorch for each.

#include <string>
#include <vector>

#include "core/result.hpp"

namespace ke {

struct TorchOperator {
  std::string symbol;
  std::string call;  ///< "layernorm(x, weight, bias)"
  bool serial;       ///< its kernels keep state, so calls take turns
};

/// Builds the libraries and writes the package; a package that stands there is replaced. Errors: a
/// folder without a library, or with one of before interface.json; two operators of one name; a
/// folder that is no name of Python, or holds other things; what the compiler said.
Result<std::vector<TorchOperator>> write_torch_package(const std::vector<std::string>& libraries,
                                                       const std::string& folder);

}  // namespace ke
