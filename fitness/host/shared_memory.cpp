#include "fitness/host/shared_memory.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace ke {
namespace {

Error memory_error(const char* name, const char* step) {
  return Error{Failure::io,
               fmt::format("memory file '{}': {}: {}", name, step, std::strerror(errno))};
}

}  // namespace

std::size_t page_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

std::size_t whole_pages(std::size_t bytes) {
  const std::size_t page = page_bytes();
  return (bytes + page - 1) / page * page;
}

Result<SharedMemory> SharedMemory::create(const char* name, std::size_t bytes, Sharing sharing) {
  SharedMemory memory;
  memory.bytes_ = std::max(whole_pages(bytes), page_bytes());
  memory.fd_ = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (memory.fd_ < 0) return memory_error(name, "memfd_create");
  if (ftruncate(memory.fd_, static_cast<off_t>(memory.bytes_)) != 0)
    return memory_error(name, "size");
  void* area = mmap(nullptr, memory.bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
                    memory.fd_, 0);
  if (area == MAP_FAILED) return memory_error(name, "mmap");
  memory.data_ = static_cast<std::byte*>(area);
  // Seals after our own writable mapping: F_SEAL_FUTURE_WRITE keeps it, F_SEAL_WRITE would not.
  const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL |
                    (sharing == Sharing::read_only ? F_SEAL_FUTURE_WRITE : 0);
  if (fcntl(memory.fd_, F_ADD_SEALS, seals) != 0) return memory_error(name, "seal");
  return memory;
}

SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept {
  if (this == &other) return *this;
  release();
  fd_ = std::exchange(other.fd_, -1);
  data_ = std::exchange(other.data_, nullptr);
  bytes_ = std::exchange(other.bytes_, 0);
  return *this;
}

void SharedMemory::release() {
  if (data_ != nullptr) munmap(data_, bytes_);
  if (fd_ >= 0) close(fd_);
  data_ = nullptr;
  fd_ = -1;
}

}  // namespace ke
