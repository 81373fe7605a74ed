#pragma once
// Messages from judge to worker, as plain numbers. Values that hold for a worker's whole life are
// in the control memory, read-only for the worker. Orders come through a pipe, one per call, so
// that nothing in the worker reveals how many follow. The worker sends nothing back: it answers by
// stopping itself.

#include <cstddef>
#include <cstdint>

namespace ke::wire {

inline constexpr std::uint64_t magic = 0x314b524f57454bULL;
inline constexpr std::size_t max_arguments = 16;
inline constexpr std::size_t max_library_path = 512;
inline constexpr std::size_t max_launches = 32;
inline constexpr std::size_t max_kernel_name = 64;

/// State that a function must leave as it was for its caller. A worker whose candidate changed
/// entry i ends with exit status broken_convention + i.
inline constexpr int broken_convention = 96;
inline constexpr const char* kept_by_calls[] = {
    "rbx",
    "rbp",
    "r12",
    "r13",
    "r14",
    "r15",
    "the direction flag",
    "the alignment-check flag",
    "mxcsr",
    "the x87 control word",
    "the x87 register stack (after MMX: emms is missing)",
    "the signal mask",
    "__libc_single_threaded"};
inline constexpr int mxcsr = 8, x87_control = 9, x87_stack = 10, signal_mask = 11,
                     single_threaded = 12;  ///< indices there

/// Descriptors that a worker inherits.
inline constexpr int control_fd = 3;
inline constexpr int input_fd = 4;
inline constexpr int output_fd = 5;
inline constexpr int orders_fd = 6;

/// A piece of a memory file, mapped at `address_offset` of every address set. Holes between pieces
/// are guards without any access.
struct Mapping {
  std::uint64_t writable = 0;  ///< 1 = output file, 0 = input file
  std::uint64_t file_offset = 0;
  std::uint64_t bytes = 0;
  std::uint64_t address_offset = 0;
};

/// One call of the kernel. Pointer arguments are offsets into the address set; others are plain
/// values.
struct Call {
  std::uint64_t set = 0;
  std::uint64_t pointers = 0;  ///< arguments [0, pointers) are addresses
  std::uint64_t arguments[max_arguments] = {};
};

/// The next order. The first one is to load. Reading consumes an order; the judge stops some rounds
/// at a random moment and compares the orders taken with the outputs written, so reading ahead
/// shows. Two kinds are only for Python baselines: `copy_inputs` announces a call of the next
/// round, so that they may copy the inputs that they change; they keep results until `deliver`.
struct Order {
  enum Kind : std::uint64_t {
    kernel = 0,
    prepare = 1,
    stop = 2,
    deliver = 3,
    load = 4,
    copy_inputs = 5
  };
  std::uint64_t kind = kernel;
  Call call = {};
};

/// An argument of an OpenCL kernel: a pointer of the call, by position, or a number.
struct Argument {
  enum Kind : std::uint64_t { address = 0, word64 = 1, word32 = 2 };
  std::uint64_t kind = address;
  std::uint64_t value = 0;
};

/// One launch of an OpenCL kernel. Every call makes all launches of the round in order.
struct Launch {
  char kernel[max_kernel_name] = {};
  std::uint64_t global[3] = {1, 1, 1};  ///< work-items
  std::uint64_t local[3] = {1, 1, 1};   ///< work-items per group
  std::uint64_t argument_count = 0;
  Argument arguments[max_arguments] = {};
};

/// The start of the control memory; mappings and launches follow at the given offsets.
struct Header {
  std::uint64_t magic = 0;
  std::uint64_t sandbox_level = 0;
  std::uint64_t threads = 1;
  std::uint64_t sets = 0;
  std::uint64_t address_bytes = 0;  ///< size of one address set
  std::uint64_t mapping_count = 0;
  std::uint64_t mappings_offset = 0;
  std::uint64_t launches_offset = 0;  ///< 0: the candidate is a function, not an OpenCL program
  std::uint64_t launch_count = 0;     ///< while loading: those to prepare; then: those of the round
  char library[max_library_path] = {};
};

}  // namespace ke::wire
