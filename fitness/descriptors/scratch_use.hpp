#pragma once
// Whether a kernel copies inputs into memory of its own and reads them there, as kernels do that
// pack blocks.

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "fitness/descriptors/code.hpp"

namespace ke {

/// Follows addresses of a kernel's own memory through registers, spill slots, calls and results:
/// variables of the library or thread, memory from an allocator, arrays on the stack. Loses those
/// in structures on the stack, so that it may miss a copy; a read through an argument in memory
/// counts if the caller holds such addresses. Follows none in more than 50,000 instructions.
class ScratchUse {
 public:
  /// `functions` must outlive it. `is_variable` says whether an address lies in writable data.
  ScratchUse(const std::vector<Function>& functions,
             std::function<bool(std::uint64_t)> is_variable);
  ~ScratchUse();

  /// Whether a loop without arithmetic, `rep movs` or a call of memcpy copies into such memory.
  bool copies() const;
  /// Whether an instruction of `function` at one of these places reads such memory.
  bool reads(const Function& function, const std::vector<std::size_t>& places) const;

 private:
  class Traces;
  std::function<bool(std::uint64_t)> is_variable_;
  std::unique_ptr<Traces> traces_;
};

}  // namespace ke
