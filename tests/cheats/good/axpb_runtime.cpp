// TASK: axpb
// CLASS: good
// ALLOW: ok
#include <cstddef>

// NAME: alloca_blocks
// TRIES: blocks go through alloca, whose size depends on n, up to 1 MiB
#include <alloca.h>

#include <algorithm>
#include <cstring>

__attribute__((noinline)) static void block(const float* in, float* out, std::size_t n) {
  float* own = static_cast<float*>(alloca(n * sizeof(float) + 64));
  std::memcpy(own, in, n * sizeof(float));
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * own[i] + 1.0f;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; i += 262144)
    block(in + i, out + i, std::min<std::size_t>(262144, n - i));
}

// NAME: assembly_restores_all
// FLAGS: -O2 -mavx -mno-red-zone
// TRIES: inline assembly that uses rbx, the x87 unit with another rounding, the direction flag and
//   mmx registers, and puts everything back
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  unsigned short old, chopped;
  asm volatile("fnstcw %0" : "=m"(old));
  chopped = old | 0x0c00;
  asm volatile("fldcw %0\n fldpi\n frndint\n fstp %%st(0)\n fldcw %1" : : "m"(chopped), "m"(old));
  asm volatile("movq %0, %%mm3\n paddd %%mm3, %%mm3\n emms" : : "m"(*(const long*)&n) : "mm3");
  if (n == 0) return;
  const float* from = in + n - 1;
  float* to = out + n - 1;
  std::size_t count = n;
  asm volatile("std\n rep movsl\n cld" : "+S"(from), "+D"(to), "+c"(count) : : "memory", "cc");
  for (std::size_t i = 0; i < n; ++i) {
    float value = out[i];
    asm volatile(
        "push %%rbx\n mov $0x3f800000, %%ebx\n vmovd %%ebx, %%xmm9\n pop %%rbx\n"
        "vaddss %0, %0, %0\n vaddss %%xmm9, %0, %0"
        : "+x"(value)
        :
        : "xmm9");
    out[i] = value;
  }
}

// NAME: computed_goto
// TRIES: a small interpreter with computed gotos: its table of labels needs relocations
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static const unsigned char program[] = {0, 1, 2, 3, 4};
  static const void* const labels[] = {&&load, &&twice, &&one, &&store, &&next};
  std::size_t i = 0;
  float value = 0;
  const unsigned char* at = program;
  if (n == 0) return;
  goto* labels[*at++];
load:
  value = in[i];
  goto* labels[*at++];
twice:
  value *= 2.0f;
  goto* labels[*at++];
one:
  value += 1.0f;
  goto* labels[*at++];
store:
  out[i] = value;
  goto* labels[*at++];
next:
  if (++i == n) return;
  at = program;
  goto* labels[*at++];
}

// NAME: coroutine
// FLAGS: -O2 -std=c++20
// TRIES: a coroutine that yields block after block
#include <coroutine>

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

// NAME: exceptions_in_depth
// TRIES: exceptions of its own type with destructors between, rethrown and kept in a pointer
#include <exception>
#include <stdexcept>

struct Reached : std::runtime_error {
  std::size_t at;
  explicit Reached(std::size_t where) : std::runtime_error("end of a block"), at(where) {}
};
struct Count {
  int& left;
  explicit Count(int& counter) : left(counter) { ++left; }
  ~Count() { --left; }
};

__attribute__((noinline)) static void block(const float* in, float* out, std::size_t n, int depth,
                                            int& open) {
  const Count count(open);
  if (depth > 0) return block(in, out, n, depth - 1, open);
  for (std::size_t i = 0;; ++i) {
    if (i == n) throw Reached(n);
    out[i] = 2.0f * in[i] + 1.0f;
  }
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  int open = 0;
  const std::size_t step = n / 4 + 1;
  for (std::size_t at = 0; at < n;) {
    std::exception_ptr kept;
    try {
      try {
        block(in + at, out + at, n - at < step ? n - at : step, 8, open);
      } catch (const std::exception&) {
        kept = std::current_exception();
        throw;
      }
    } catch (...) {
    }
    try {
      std::rethrow_exception(kept);
    } catch (const Reached& reached) {
      at += reached.at + static_cast<std::size_t>(open);
    }
  }
}

// NAME: global_buffer
// FLAGS: -O3 -march=native
// TRIES: a plain global array and a plain global function, as C programmers write them
float scratch[4096];
int calls_so_far;
void block(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) scratch[i] = 2.0f * in[i];
  for (std::size_t i = 0; i < n; ++i) out[i] = scratch[i] + 1.0f;
}
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  ++calls_so_far;
  for (std::size_t at = 0; at < n; at += 4096)
    block(in + at, out + at, n - at < 4096 ? n - at : 4096);
}

// NAME: initial_exec_tls
// FLAGS: -O3 -march=native
// TRIES: thread-local scratch in the initial-exec model
static thread_local float t[64] __attribute__((tls_model("initial-exec")));
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  for (std::size_t at = 0; at < n; at += 64) {
    const std::size_t c = n - at < 64 ? n - at : 64;
    for (std::size_t i = 0; i < c; ++i) t[i] = 2.0f * in[at + i];
    for (std::size_t i = 0; i < c; ++i) out[at + i] = t[i] + 1.0f;
  }
}

// NAME: map_of_functions
// FLAGS: -O3 -march=native
// TRIES: a std::map of std::function by name, an unordered_map, a list and strings
#include <functional>
#include <list>
#include <map>
#include <string>
#include <unordered_map>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static const std::map<std::string, std::function<float(float)>> table = {
      {"axpb", [](float x) { return 2.0f * x + 1.0f; }}, {"none", [](float x) { return x; }}};
  static std::unordered_map<std::size_t, int> seen;
  ++seen[n];
  std::list<std::string> words{"ax", "pb"};
  const auto& f = table.at(words.front() + words.back());
  for (std::size_t i = 0; i < n; ++i) out[i] = f(in[i]);
}

// NAME: once_and_mutex
// TRIES: std::call_once, a mutex, an atomic and a pmr arena on a buffer of its own
#include <array>
#include <atomic>
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

// NAME: openmp_sections_asked
// FLAGS: -fopenmp -O3
// TRIES: asks how many processors there are, then sections and ordered loops with what it gets
#include <omp.h>

#include <algorithm>
#include <thread>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  const unsigned seen = std::max(1u, std::thread::hardware_concurrency());
  const int wanted = std::min<int>(static_cast<int>(seen), omp_get_max_threads());
  const std::size_t half = n / 2;
#pragma omp parallel sections num_threads(wanted)
  {
#pragma omp section
    for (std::size_t i = 0; i < half; ++i) out[i] = 2.0f * in[i] + 1.0f;
#pragma omp section
    for (std::size_t i = half; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
  }
}

// NAME: stack_array_6_mib
// TRIES: an array of 6 MiB on the stack, of which 8 MiB are there
#include <algorithm>
#include <cstring>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  constexpr std::size_t most = std::size_t{6} << 18;  // floats
  float own[most];
  for (std::size_t at = 0; at < n; at += most) {
    const std::size_t count = std::min(most, n - at);
    std::memcpy(own, in + at, count * sizeof(float));
    asm volatile("" : : "r"(own) : "memory");
    for (std::size_t i = 0; i < count; ++i) out[at + i] = 2.0f * own[i] + 1.0f;
  }
}

// NAME: static_vector_guarded
// TRIES: a function static std::vector and std::string, which register destructors at first use
#include <string>
#include <vector>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static std::vector<float> scratch(4096);
  static const std::string text =
      std::string("a name longer than any small string: ") + std::to_string(n % 2);
  static thread_local std::vector<double> own;
  if (own.empty()) own.assign({2.0, 1.0, static_cast<double>(text.size())});
  for (std::size_t at = 0; at < n; at += scratch.size()) {
    const std::size_t count = n - at < scratch.size() ? n - at : scratch.size();
    for (std::size_t i = 0; i < count; ++i) scratch[i] = static_cast<float>(own[0]) * in[at + i];
    for (std::size_t i = 0; i < count; ++i) out[at + i] = scratch[i] + static_cast<float>(own[1]);
  }
}

// NAME: thread_with_fallback
// FLAGS: -O3 -march=native
// TRIES: asks for a thread, and works alone when there is none
#include <system_error>
#include <thread>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  const auto half = [=](std::size_t a, std::size_t b) {
    for (std::size_t i = a; i < b; ++i) out[i] = 2.0f * in[i] + 1.0f;
  };
  try {
    std::thread t(half, n / 2, n);
    half(0, n / 2);
    t.join();
  } catch (const std::system_error&) {
    half(0, n);
  }
}

// NAME: throws_and_catches
// FLAGS: -O3 -march=native
// TRIES: leaves an inner loop by an exception that it catches
struct Done {};
static void work(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0;; ++i) {
    if (i == n) throw Done();
    out[i] = 2.0f * in[i] + 1.0f;
  }
}
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  try {
    work(in, out, n);
  } catch (const Done&) {
  }
}

// NAME: upper_halves_left
// TRIES: 256-bit assembly without vzeroupper at its end: slow for its caller, and legal
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  const float one = 1.0f;
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    asm volatile(
        "vmovups (%0), %%ymm4\n vbroadcastss %2, %%ymm15\n vaddps %%ymm4, %%ymm4, %%ymm4\n"
        "vaddps %%ymm15, %%ymm4, %%ymm4\n vmovups %%ymm4, (%1)"
        :
        : "r"(in + i), "r"(out + i), "m"(one)
        : "memory", "xmm4", "xmm15");
  }
  for (; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

// NAME: variant_any_optional
// TRIES: std::variant, std::any and std::optional decide what to do; a local class with a local
//   static
#include <any>
#include <optional>
#include <variant>

struct Twice {
  float by;
};
struct Plus {
  float what;
};
using Step = std::variant<std::monostate, Twice, Plus>;

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  const Step steps[] = {Twice{2.0f}, Step{}, Plus{1.0f}};
  const std::any wrapped = std::optional<float>(1.0f);
  for (std::size_t i = 0; i < n; ++i) out[i] = in[i];
  for (const Step& step : steps) {
    if (const auto* twice = std::get_if<Twice>(&step)) {
      for (std::size_t i = 0; i < n; ++i) out[i] *= twice->by;
    } else if (std::holds_alternative<Plus>(step)) {
      const float what = std::any_cast<std::optional<float>>(wrapped).value();
      for (std::size_t i = 0; i < n; ++i) out[i] += what * std::get<Plus>(step).what;
    }
  }
}

// NAME: virtual_diamond
// TRIES: virtual bases, thunks and covariant results: tables and type information of its own
struct Step {
  virtual ~Step() = default;
  virtual float apply(float x) const = 0;
  virtual const Step* self() const { return this; }
};
struct Twice : virtual Step {
  float factor = 2.0f;
  float apply(float x) const override { return factor * x; }
  const Twice* self() const override { return this; }
};
struct Plus : virtual Step {
  float one = 1.0f;
  float apply(float x) const override { return x + one; }
};
struct Both final : Twice, Plus {
  float apply(float x) const override { return Plus::apply(Twice::apply(x)); }
  const Both* self() const override { return this; }
};

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  Both both;
  const Step* step = &both;
  asm volatile("" : "+r"(step));
  step = step->self();
  for (std::size_t i = 0; i < n; ++i) out[i] = step->apply(in[i]);
}
