#pragma once
// Memory files that outlive a session: clearing fresh pages costs more than most of its calls.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "fitness/sandbox/fd.hpp"

namespace ke {

/// Access of the other side.
enum class Sharing {
  read_only,  ///< sealed: no new writable mapping is possible, ours stays writable
  read_write,
};

/// An anonymous file in memory, mapped here for reading and writing.
class SharedMemory {
 public:
  SharedMemory() = default;
  /// `bytes` are rounded up to whole pages and zeroed. Errors: no memory, no seals.
  static Result<SharedMemory> create(const char* name, std::size_t bytes, Sharing sharing);
  SharedMemory(SharedMemory&& other) noexcept { *this = std::move(other); }
  SharedMemory& operator=(SharedMemory&& other) noexcept;
  ~SharedMemory() { release(); }

  int fd() const { return fd_.get(); }
  std::byte* data() const { return data_; }
  std::size_t size() const { return bytes_; }

 private:
  void release();
  Fd fd_;
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Size of a page.
std::size_t page_bytes();
/// `bytes` rounded up to whole pages.
std::size_t whole_pages(std::size_t bytes);

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
