// NAME: once_and_mutex
// TASK: axpb
// CLASS: good
// ALLOW: ok
// TRIES: std::call_once, a mutex, an atomic and a pmr arena on a buffer of its own
#include <array>
#include <atomic>
#include <cstddef>
#include <memory_resource>
#include <mutex>
#include <vector>

static std::once_flag flag;
static std::mutex guard;
static std::atomic<float> factor;

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  std::call_once(flag, [] { factor = 2.0f; });
  const std::lock_guard lock(guard);
  std::array<std::byte, 1 << 16> room;
  for (std::size_t at = 0; at < n; at += 8192) {
    std::pmr::monotonic_buffer_resource arena(room.data(), room.size());
    const std::size_t count = n - at < 8192 ? n - at : 8192;
    std::pmr::vector<float> values(in + at, in + at + count, &arena);
    const float by = factor.load(std::memory_order_relaxed);
    for (std::size_t i = 0; i < count; ++i) out[at + i] = by * values[i] + 1.0f;
  }
}
