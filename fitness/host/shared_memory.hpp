#pragma once
// A memory file that the judge keeps writable and a worker maps.

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/result.hpp"

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

  int fd() const { return fd_; }
  std::byte* data() const { return data_; }
  std::size_t size() const { return bytes_; }

 private:
  void release();
  int fd_ = -1;
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Size of a page.
std::size_t page_bytes();
/// `bytes` rounded up to whole pages.
std::size_t whole_pages(std::size_t bytes);

}  // namespace ke
