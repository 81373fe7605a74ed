#pragma once
// What the notes of an AMD code object say of its kernels. Damaged ones are errors; but maps in
// maps without end exhaust the stack, so a candidate's code object is read in its worker alone.

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

/// Parameters of every kernel by its name, without those that the compiler adds for itself. O(n).
/// Errors: no ELF file, no such note.
Result<KernelParameters> kernel_parameters(std::string_view object);

}  // namespace ke::hip
