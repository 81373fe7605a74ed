// kernelevolve-worker: loads one candidate and calls it on the judge's orders.
//
// Each round ends when the process sends itself SIGSTOP; the judge continues it once the orders of
// the next round are ready. The first stop comes before any order (it shows the judge where an
// honest stop occurs), the first order is to load and lock, all others call the kernel. The judge
// believes nothing that this process says after loading.
//
// A candidate is a library with a function `kernel`, or an OpenCL program whose launches the judge
// lists.

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/single_threaded.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <x86intrin.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "fitness/host/wire.hpp"
#include "fitness/opencl/runner.hpp"
#include "fitness/programs/call_stub.hpp"
#include "fitness/sandbox/lock.hpp"

extern "C" [[gnu::visibility("hidden")]] const char ke_stop_site[];  // in stop()

namespace ke {
namespace {

using Word = std::uint64_t;
using Kernel = void (*)();

constexpr int max_sets = 16;
constexpr Word seed_factor = 0x9e3779b97f4a7c15;

struct State {
  const volatile wire::Header* header = nullptr;
  const char* control = nullptr;
  Word control_bytes = 0;
  Kernel kernel = nullptr;
  Kernel prepare = nullptr;               ///< not in every library
  std::optional<opencl::Runner> program;  ///< replaces `kernel`
  char* base[max_sets] = {};
  int orders = wire::orders_fd;
  Word blocked = 0;      ///< signals, before the first call
  ProtectedRange range;  ///< all address sets and, after a guard, the control memory
};

// noinline for compilers that do not know noipa: the label must stand once.
[[gnu::noipa, gnu::noinline]] void stop(long pid) {
  // A raw system call, so that no code that a candidate could have patched runs between its return
  // and the stop. Once the worker is locked, no other place can stop it.
  long result;
  asm volatile(
      "syscall\n"
      ".globl ke_stop_site\n"
      ".hidden ke_stop_site\n"
      "ke_stop_site:"
      : "=a"(result)
      : "a"(static_cast<long>(SYS_kill)), "D"(pid), "S"(static_cast<long>(SIGSTOP))
      : "rcx", "r11", "memory");
}

// Raw for the same reason. False when the judge has ended.
bool next_order(int orders, wire::Order& order) {
  long result;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(static_cast<long>(SYS_read)), "D"(static_cast<long>(orders)), "S"(&order),
                 "d"(sizeof order)
               : "rcx", "r11", "memory");
  return result == static_cast<long>(sizeof order);
}

bool map_control(State& state) {
  void* head = mmap(nullptr, sizeof(wire::Header), PROT_READ, MAP_SHARED, wire::control_fd, 0);
  if (head == MAP_FAILED) return false;
  const auto* header = static_cast<const wire::Header*>(head);
  if (header->magic != wire::magic) return false;
  const long bytes = lseek(wire::control_fd, 0, SEEK_END);
  void* whole = mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ, MAP_SHARED | MAP_POPULATE,
                     wire::control_fd, 0);
  if (bytes <= 0 || whole == MAP_FAILED) return false;
  munmap(head, sizeof(wire::Header));
  state.control = static_cast<const char*>(whole);
  state.control_bytes = static_cast<Word>(bytes);
  state.header = static_cast<const wire::Header*>(whole);
  return state.header->sets <= max_sets;
}

bool map_set(char* base, const wire::Mapping* pieces, Word count) {
  for (Word i = 0; i < count; ++i) {
    const wire::Mapping& piece = pieces[i];
    const int protection = piece.writable ? PROT_READ | PROT_WRITE : PROT_READ;
    const int fd = piece.writable ? wire::output_fd : wire::input_fd;
    if (mmap(base + piece.address_offset, piece.bytes, protection,
             MAP_SHARED | MAP_FIXED | MAP_POPULATE, fd,
             static_cast<long>(piece.file_offset)) == MAP_FAILED) {
      return false;
    }
  }
  return true;
}

// Moves the control memory into the range where a locked worker cannot change mappings.
bool move_control(State& state, char* place) {
  void* moved = mmap(place, state.control_bytes, PROT_READ, MAP_SHARED | MAP_FIXED | MAP_POPULATE,
                     wire::control_fd, 0);
  if (moved == MAP_FAILED) return false;
  munmap(const_cast<char*>(state.control), state.control_bytes);
  state.control = place;
  state.header = reinterpret_cast<const wire::Header*>(place);
  return true;
}

bool map_tensors(State& state) {
  const auto* pieces =
      reinterpret_cast<const wire::Mapping*>(state.control + state.header->mappings_offset);
  constexpr Word guard = 1 << 16;
  const Word tensors = state.header->sets * state.header->address_bytes;
  state.range = reserve_apart(tensors + guard + state.control_bytes);
  if (state.range.end == 0) return false;
  for (Word set = 0; set < state.header->sets; ++set) {
    state.base[set] =
        reinterpret_cast<char*>(state.range.begin + set * state.header->address_bytes);
    if (!map_set(state.base[set], pieces, state.header->mapping_count)) return false;
  }
  return move_control(state, reinterpret_cast<char*>(state.range.begin + tensors + guard));
}

bool load_function(State& state, const char* path) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return false;
  void* symbol = dlsym(library, "kernel");
  state.kernel = reinterpret_cast<Kernel>(symbol);
  state.prepare = reinterpret_cast<Kernel>(dlsym(library, "prepare"));
  return symbol != nullptr;
}

const wire::Launch* launches(const State& state) {
  return reinterpret_cast<const wire::Launch*>(state.control + state.header->launches_offset);
}

// PoCL unpacks the program's libraries in the working folder, loads the prepared ones, and needs no
// file afterwards.
bool load_program(State& state, const char* path) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  const long bytes = lseek(file, 0, SEEK_END);
  if (bytes <= 0) return false;
  void* binary = mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  if (binary == MAP_FAILED) return false;
  char folder[wire::max_library_path];
  if (getcwd(folder, sizeof folder) == nullptr) return false;
  auto opened = opencl::Runner::open(folder);
  if (!opened || !opened->load({static_cast<char*>(binary), static_cast<std::size_t>(bytes)})) {
    return false;
  }
  state.program = *std::move(opened);
  for (Word i = 0; i < state.header->launch_count; ++i) {
    if (!state.program->prepare(launches(state)[i])) return false;
  }
  return true;
}

// Leaves the orders at a random descriptor, with copies of it at others, so that no descriptor
// tells a kernel that the worker calls it.
void move_orders(State& state) {
  constexpr int numbers = 24;
  const Word random = __rdtsc() * seed_factor;
  state.orders =
      dup2(wire::orders_fd, wire::control_fd + static_cast<int>((random >> 56) % numbers));
  for (int i = 0; i < numbers; ++i) {
    const int fd = wire::control_fd + i;
    if (fd == state.orders) continue;
    (random >> (24 + i) & 1) != 0 ? dup2(state.orders, fd) : close(fd);
  }
}

Word blocked_signals() {
  Word mask = 0;
  syscall(SYS_rt_sigprocmask, SIG_BLOCK, nullptr, &mask, sizeof mask);
  return mask;
}

bool load(State& state) {
  char path[wire::max_library_path];
  for (std::size_t i = 0; i < sizeof path; ++i) path[i] = state.header->library[i];
  const bool is_program = state.header->launches_offset != 0;
  if (!(is_program ? load_program(state, path) : load_function(state, path))) return false;
  const auto level = static_cast<SandboxLevel>(state.header->sandbox_level);
  if (!map_tensors(state)) return false;
  for (const int fd : {wire::control_fd, wire::input_fd, wire::output_fd}) close(fd);
  if (!is_program) move_orders(state);
  state.blocked = blocked_signals();
  __libc_single_threaded = 0;  // a caller may have threads: reference counts must be atomic
  return static_cast<bool>(
      lock_worker(static_cast<int>(state.header->threads), level, state.range, ke_stop_site));
}

void reset_floating_point() {
  _mm_setcsr(0x1f80);
  const unsigned short control = 0x37f;
  asm volatile("fninit\n\tfldcw %0" : : "m"(control));
}

void run_launches(State& state, const wire::Call& request) {
  const Word count = state.header->launch_count;
  for (Word i = 0; i < count; ++i) {
    if (!state.program->run(launches(state)[i], request, state.base[request.set % max_sets])) {
      _exit(4);
    }
  }
}

void call(State& state, const wire::Order& order) {
  const wire::Call& request = order.call;
  if (state.program) return run_launches(state, request);
  Word a[wire::max_arguments];
  const Word base = reinterpret_cast<Word>(state.base[request.set % max_sets]);
  for (std::size_t i = 0; i < wire::max_arguments; ++i) {
    a[i] = request.arguments[i] + (i < request.pointers ? base : 0);
  }
  reset_floating_point();
  const Kernel function = order.kind == wire::Order::prepare ? state.prepare : state.kernel;
  // In this calling convention, integer arguments that a kernel does not declare are harmless.
  const unsigned broken = ke_checked_call(function, a, __rdtsc() * seed_factor);
  if (broken != 0) _exit(wire::broken_convention + static_cast<int>(broken) - 1);
}

void run_round(State& state) {
  for (;;) {
    wire::Order order;
    if (!next_order(state.orders, order)) _exit(5);
    if (order.kind == wire::Order::stop) break;
    if (order.kind == wire::Order::load) {
      if (!load(state)) _exit(3);
      continue;
    }
    call(state, order);
  }
  if (state.kernel == nullptr) return;
  if (x87_in_use()) _exit(wire::broken_convention + wire::x87_stack);
  if (blocked_signals() != state.blocked) _exit(wire::broken_convention + wire::signal_mask);
  // A library may set it again when the last of several threads has ended.
  if (state.header->threads == 1 && __libc_single_threaded != 0)
    _exit(wire::broken_convention + wire::single_threaded);
}

[[noreturn]] void serve() {
  State state;
  if (!map_control(state)) _exit(2);
  const long pid = getpid();
  for (;;) {
    stop(pid);
    run_round(state);
  }
}

}  // namespace
}  // namespace ke

int main() { ke::serve(); }
