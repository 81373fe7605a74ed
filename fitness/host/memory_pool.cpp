#include "fitness/host/memory_pool.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ke {
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 29;  // total of all files
constexpr std::size_t size_step = std::size_t{1} << 20;   // sizes are rounded up, to fit again
constexpr std::size_t most_waste = 4;  // files larger than this factor are left for other requests

}  // namespace

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
