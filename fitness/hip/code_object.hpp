#pragma once
// Reads the notes of an AMD code object about its kernels. Damaged notes are errors, but endlessly
// nested maps exhaust the stack, so only the worker of a candidate reads its code object.

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace ke::hip {

/// One parameter as its caller passes it.
struct KernelParameter {
  std::size_t offset = 0, bytes = 0;
  bool operator==(const KernelParameter&) const = default;
};
using KernelParameters = std::map<std::string, std::vector<KernelParameter>>;

/// Parameters of every kernel by its name, without those that the compiler adds. O(n). Errors: no
/// ELF file, no such note.
Result<KernelParameters> kernel_parameters(std::string_view object);

}  // namespace ke::hip
