#pragma once
// Messages between the judge and the process of a reference, over a socket that preserves message
// boundaries: one Answer when the process is ready, then one Answer per Request.
//
// Tensors are in one sparse memory file, slot t for tensor t. In the process, each tensor ends
// where its slot's guard begins, so that an access beyond the end faults. In the file, its pages
// begin where its slot does, and the tensor ends where they end.

#include <cstddef>
#include <cstdint>

namespace ke::reference_wire {

/// Descriptors that the process inherits.
inline constexpr int socket_fd = 3;
inline constexpr int memory_fd = 4;

inline constexpr std::size_t max_arguments = 16;
inline constexpr std::size_t max_dimensions = 8;
inline constexpr std::uint64_t slot_bytes = std::uint64_t{1} << 36;
/// End of a tensor, from the beginning of its slot; the rest of the slot is its guard.
inline constexpr std::uint64_t slot_end = slot_bytes / 4 * 3;

/// One call: tensors in signature order, then axes.
struct Request {
  std::uint64_t tensors = 0;
  std::uint64_t axes = 0;
  /// 1: compute in the types that the reference's source names, where it can, not in double.
  std::uint64_t as_written = 0;
  std::uint64_t bytes[max_arguments] = {};     ///< per tensor
  std::uint64_t writable[max_arguments] = {};  ///< 1: an output
  std::uint64_t values[max_arguments] = {};    ///< per axis
  std::uint64_t ranks[max_arguments] = {};     ///< per tensor; `dims` holds the lengths
  std::uint64_t dims[max_arguments][max_dimensions] = {};
};

struct Answer {
  enum Kind : std::uint64_t {
    ready,       ///< the reference is loaded
    not_loaded,  ///< `text`: the reason
    no_symbol,   ///< there is no function of the expected name
    done,        ///< the outputs are written
    fault,       ///< the reference accessed memory outside its tensors; the process ends
    threw,       ///< `text`: the exception's text; the process ends
    no_memory,   ///< the reference exceeded its memory limit; the process ends
  };
  static constexpr std::int64_t no_tensor = -1;
  static constexpr std::int64_t stack = -2;
  std::uint64_t kind = done;
  /// fault: index of the tensor that was accessed; no_tensor, or stack
  std::int64_t tensor = no_tensor;
  std::int64_t offset = 0;  ///< fault: bytes from the tensor's start
  std::uint64_t wrote = 0;  ///< fault: 0 = a read, else a write
  char text[256] = {};
};

}  // namespace ke::reference_wire
