#pragma once
// Memory files that outlive a session: clearing fresh pages costs more than most of its calls.

#include <cstddef>
#include <memory>
#include <vector>

#include "core/result.hpp"
#include "fitness/host/shared_memory.hpp"

namespace ke {

/// Lends memory files and takes them back from their last owner. Files that workers may write are
/// zeroed; others keep old contents, because the judge writes them before anyone reads. Used only
/// by the lane's thread.
class MemoryPool {
 public:
  /// `keep`: false makes every file anew, for workers that may leave processes behind.
  explicit MemoryPool(bool keep = true) : keep_(keep) {}

  /// Lends a file of at least `bytes`. Errors as SharedMemory::create.
  Result<std::shared_ptr<const SharedMemory>> take(const char* name, std::size_t bytes,
                                                   Sharing sharing);

  /// Frees all idle files, so that later files lie in other memory.
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
