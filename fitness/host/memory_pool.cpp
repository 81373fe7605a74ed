#include "fitness/host/memory_pool.hpp"

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

constexpr std::size_t most_bytes = std::size_t{1} << 29;  // total of all files
constexpr std::size_t size_step = std::size_t{1} << 20;   // sizes are rounded up, to fit again
constexpr std::size_t most_waste = 4;  // files larger than this factor are left for other requests

}  // namespace

std::size_t page_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

std::size_t whole_pages(std::size_t bytes) {
  const std::size_t page = page_bytes();
  return (bytes + page - 1) / page * page;
}

Result<SharedMemory> SharedMemory::create(const char* name, std::size_t bytes, Sharing sharing) {
  SharedMemory memory;
  memory.bytes_ = std::max(whole_pages(bytes), page_bytes());
  memory.fd_ = Fd(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!memory.fd_) return memory_error(name, "memfd_create");
  if (ftruncate(memory.fd(), static_cast<off_t>(memory.bytes_)) != 0)
    return memory_error(name, "size");
  void* area = mmap(nullptr, memory.bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
                    memory.fd(), 0);
  if (area == MAP_FAILED) return memory_error(name, "mmap");
  memory.data_ = static_cast<std::byte*>(area);
  // Seals after our own writable mapping: F_SEAL_FUTURE_WRITE keeps it, F_SEAL_WRITE would not.
  const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL |
                    (sharing == Sharing::read_only ? F_SEAL_FUTURE_WRITE : 0);
  if (fcntl(memory.fd(), F_ADD_SEALS, seals) != 0) return memory_error(name, "seal");
  return memory;
}

SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept {
  if (this == &other) return *this;
  release();
  fd_ = std::move(other.fd_);
  data_ = std::exchange(other.data_, nullptr);
  bytes_ = std::exchange(other.bytes_, 0);
  return *this;
}

void SharedMemory::release() {
  if (data_ != nullptr) munmap(data_, bytes_);
  data_ = nullptr;
}

std::shared_ptr<const SharedMemory> MemoryPool::idle(std::size_t bytes, Sharing sharing) const {
  const File* best = nullptr;
  for (const File& file : files_) {
    const std::size_t size = file.memory->size();
    if (file.memory.use_count() > 1 || file.sharing != sharing) continue;
    if (size < bytes || size > most_waste * bytes) continue;
    if (best == nullptr || size < best->memory->size()) best = &file;
  }
  return best == nullptr ? nullptr : best->memory;
}

// Makes room for `bytes` more; drops the oldest idle files first.
void MemoryPool::forget_idle(std::size_t bytes) {
  std::size_t sum = bytes;
  for (const File& file : files_) sum += file.memory->size();
  for (auto file = files_.begin(); file != files_.end() && sum > most_bytes;) {
    const bool used = file->memory.use_count() > 1;
    if (!used) sum -= file->memory->size();
    file = used ? file + 1 : files_.erase(file);
  }
}

void MemoryPool::renew() {
  std::erase_if(files_, [](const File& file) { return file.memory.use_count() == 1; });
}

Result<std::shared_ptr<const SharedMemory>> MemoryPool::take(const char* name, std::size_t bytes,
                                                             Sharing sharing) {
  const std::size_t rounded =
      std::max((bytes + size_step - 1) / size_step, std::size_t{1}) * size_step;
  if (auto found = idle(rounded, sharing)) {
    // A worker may have left something for the next one.
    if (sharing == Sharing::read_write) std::memset(found->data(), 0, found->size());
    return found;
  }
  if (keep_) forget_idle(rounded);
  KE_TRY(SharedMemory made, SharedMemory::create(name, rounded, sharing));
  auto memory = std::make_shared<const SharedMemory>(std::move(made));
  if (keep_) files_.push_back({memory, sharing});
  return memory;
}

}  // namespace ke
