#pragma once
// Packages libraries from `dispatch` as Python operators for PyTorch.

#include <string>
#include <vector>

#include "core/result.hpp"

namespace ke {

struct TorchOperator {
  std::string symbol;
  std::string call;  ///< "layernorm(x, weight, bias)"
  bool serial;       ///< its kernels keep state, so calls take turns
};

/// Builds the libraries and writes the package; replaces an existing package. Errors: a folder
/// without a library, or whose library predates interface.json; two operators of one name; a folder
/// whose name is no Python identifier, or that holds other things; the compiler's message.
Result<std::vector<TorchOperator>> write_torch_package(const std::vector<std::string>& libraries,
                                                       const std::string& folder);

}  // namespace ke
