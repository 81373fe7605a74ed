#pragma once
// Packages libraries from `dispatch` as Python operators for PyTorch.

#include <string>
#include <vector>

#include "core/result.hpp"

namespace ke {

struct TorchOperator {
  std::string name;  ///< "fast_ops::layernorm": torch.ops.fast_ops.layernorm
  std::string call;  ///< "layernorm(x, weight, bias)"
  bool serial;       ///< its kernels keep state, so calls take turns
};

/// Builds the libraries and writes the package; replaces an existing package. Errors: a folder
/// without a library, or whose library predates interface.json; two operators of one name; a folder
/// whose name is no Python identifier, or that holds other things; the compiler's message.
Result<std::vector<TorchOperator>> write_torch_package(const std::vector<std::string>& libraries,
                                                       const std::string& folder);

/// Compiles the package's part in C++ for the PyTorch of python3, and measures the operators; adds
/// the measurement to README.md. Returns a table, or a line that says why there is none; with
/// `json`, a list.
std::string measure_package(const std::string& folder, bool json);

}  // namespace ke
