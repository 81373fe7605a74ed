#pragma once
// Memory files that outlive a session: clearing fresh pages costs more than most of its calls.

#include <cstddef>
#include <memory>
#include <vector>

#include "core/result.hpp"
#include "fitness/host/shared_memory.hpp"

namespace ke {

/// Hands out memory files and takes them again when the last owner lets go. A file that workers may
/// write comes cleared; others come with whatever they held: the judge writes before anybody reads.
/// Used by the lane's thread alone.
class MemoryPool {
 public:
  /// `keep`: false makes every file anew, for workers that may leave something running behind.
  explicit MemoryPool(bool keep = true) : keep_(keep) {}

  /// At least `bytes` long. Errors as SharedMemory::create.
  Result<std::shared_ptr<const SharedMemory>> take(const char* name, std::size_t bytes,
                                                   Sharing sharing);

  /// Lets go of all idle files, so that what is taken next lies in other memory.
  void renew();

 private:
  struct File {
    std::shared_ptr<const SharedMemory> memory;
    Sharing sharing = Sharing::read_only;
  };
  std::shared_ptr<const SharedMemory> idle(std::size_t bytes, Sharing sharing) const;
  void forget_idle(std::size_t bytes);

  bool keep_;
  std::vector<File> files_;  ///< oldest first
};

}  // namespace ke
