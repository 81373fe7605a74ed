#pragma once
// What the judge tells a worker: plain numbers. Those that hold for its whole life lie in the
// control memory, read-only for the worker; orders come through a pipe, one for each call, so that
// nothing in the worker tells how many are still to come. Nothing goes the other way: a worker
// answers by stopping itself.

#include <cstddef>
#include <cstdint>

namespace ke::wire {

inline constexpr std::uint64_t magic = 0x314b524f57454bULL;
inline constexpr std::size_t max_arguments = 16;
inline constexpr std::size_t max_library_path = 512;
inline constexpr std::size_t max_launches = 32;
inline constexpr std::size_t max_kernel_name = 64;

/// Descriptors that a worker inherits.
inline constexpr int control_fd = 3;
inline constexpr int input_fd = 4;
inline constexpr int output_fd = 5;
inline constexpr int orders_fd = 6;

/// One piece of a memory file that appears at `address_offset` of every address set. Holes between
/// pieces are guards: no access at all.
struct Mapping {
  std::uint64_t writable = 0;  ///< 1: of the output file, 0: of the input file
  std::uint64_t file_offset = 0;
  std::uint64_t bytes = 0;
  std::uint64_t address_offset = 0;
};

/// One call of the kernel. Pointer arguments are offsets into the address set, others plain values.
struct Call {
  std::uint64_t set = 0;
  std::uint64_t pointers = 0;  ///< arguments [0, pointers) are addresses
  std::uint64_t arguments[max_arguments] = {};
};

/// The next thing to do. Reading one takes it away, so a candidate that looks leaves the worker
/// without it. `deliver` is for baselines in Python alone, which keep their results until then.
struct Order {
  enum Kind : std::uint64_t { kernel = 0, prepare = 1, stop = 2, deliver = 3 };
  std::uint64_t kind = kernel;
  Call call = {};
};

/// An argument of an OpenCL kernel: an address of the call, by its position, or a number.
struct Argument {
  enum Kind : std::uint64_t { address = 0, word64 = 1, word32 = 2 };
  std::uint64_t kind = address;
  std::uint64_t value = 0;
};

/// One launch of an OpenCL kernel; a call runs all of a round's launches in order.
struct Launch {
  char kernel[max_kernel_name] = {};
  std::uint64_t global[3] = {1, 1, 1};  ///< work-items
  std::uint64_t local[3] = {1, 1, 1};   ///< work-items of a group
  std::uint64_t argument_count = 0;
  Argument arguments[max_arguments] = {};
};

/// The start of the control memory; mappings and launches follow at the given offsets.
struct Header {
  std::uint64_t magic = 0;
  std::uint64_t sandbox_level = 0;
  std::uint64_t threads = 1;
  std::uint64_t sets = 0;
  std::uint64_t address_bytes = 0;  ///< of one address set
  std::uint64_t mapping_count = 0;
  std::uint64_t mappings_offset = 0;
  std::uint64_t launches_offset = 0;  ///< 0: the candidate is a function, no OpenCL program
  std::uint64_t launch_count = 0;     ///< while loading: those to prepare; then: of the round
  char library[max_library_path] = {};
};

}  // namespace ke::wire
