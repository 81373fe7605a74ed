#pragma once
// Placement of tensors in the regions that judge and worker share: guard pages between tensors,
// canaries in the unused rest of a page.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fitness/content/secret_random.hpp"
#include "fitness/content/shapes.hpp"

namespace ke {

/// start: the tensor begins right after a guard page. end: it ends right before one, except for
/// (align - size % align) % align bytes of alignment, which become canaries.
enum class Side { start, end };
constexpr const char* name(Side side) { return side == Side::start ? "start" : "end"; }
inline Side random_side(SecretRandom& random) {
  return random.below(2) == 0 ? Side::start : Side::end;
}

/// Bytes [begin, begin + size) of a region.
struct Extent {
  std::int64_t begin = 0;
  std::int64_t size = 0;
};

/// One region, mapped at a page-aligned base: guard, tensor pages, guard, tensor pages, ..., guard.
struct Region {
  std::int64_t size = 0;
  std::vector<Extent> tensors;   ///< per input or per output, in signature order
  std::vector<Extent> guards;    ///< whole pages, to be mapped PROT_NONE
  std::vector<Extent> canaries;  ///< bytes of data pages that belong to no tensor

  /// Pointers to the tensors of a mapping at `base`.
  std::vector<std::byte*> pointers(std::byte* base) const;
};

/// The two regions of a workload: inputs (read-only for the worker) and outputs.
struct Placement {
  static constexpr std::int64_t page = 4096;
  Region inputs;
  Region outputs;
  static Placement of(const Task& task, const Shapes& shapes, Side side);
};

/// Random bytes in a region's canaries, and a copy to compare with.
class Canaries {
 public:
  /// Draws the bytes of every canary of `region` (borrowed).
  Canaries(const Region& region, SecretRandom& random);
  /// Writes the canaries into a mapping. All mappings of one region may share them.
  void write(std::byte* base) const;
  /// Offset of the first byte that changed, or nothing.
  std::optional<std::int64_t> broken(const std::byte* base) const;

 private:
  const Region* region_;
  std::vector<std::byte> bytes_;
};

}  // namespace ke
