// NAME: coroutine
// TASK: axpb
// CLASS: good
// FLAGS: -O2 -std=c++20
// ALLOW: ok
// TRIES: a coroutine that yields block after block
#include <coroutine>
#include <cstddef>

struct Blocks {
  struct promise_type {
    std::size_t at = 0;
    Blocks get_return_object() {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(std::size_t v) {
      at = v;
      return {};
    }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
};
static Blocks blocks(std::size_t n) {
  for (std::size_t at = 0; at < n; at += 1024) co_yield at;
}
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  Blocks b = blocks(n);
  for (b.handle.resume(); !b.handle.done(); b.handle.resume()) {
    const std::size_t at = b.handle.promise().at, end = at + 1024 < n ? at + 1024 : n;
    for (std::size_t i = at; i < end; ++i) out[i] = 2.0f * in[i] + 1.0f;
  }
  b.handle.destroy();
}
