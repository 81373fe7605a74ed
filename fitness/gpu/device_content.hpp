#pragma once
// A content in the memory of a GPU, in one allocation.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "fitness/content/content.hpp"
#include "fitness/gpu/driver.hpp"

namespace ke::gpu {

inline constexpr std::int64_t grain = 256;  ///< alignment of tensors
constexpr std::int64_t aligned(std::int64_t bytes) { return (bytes + grain - 1) / grain * grain; }

/// To be destroyed where the context is current.
struct DeviceContent final : DeviceTensors {
  struct Part {
    Address at = 0;
    std::int64_t bytes = 0;
  };

  explicit DeviceContent(const Driver& driver) : d(driver) {}
  ~DeviceContent() override;
  /// Room for a content of these shapes, without values.
  static Result<std::shared_ptr<DeviceContent>> allocate(const Driver& driver, const Task& task,
                                                         const Shapes& shapes);
  /// A copy of a content of the host.
  static Result<std::shared_ptr<const DeviceContent>> copy_of(const Driver& driver,
                                                              const Content& content);
  /// The bytes of such an allocation.
  static std::int64_t bytes_of(const Task& task, const Shapes& shapes);
  Result<void> upload(std::span<const std::byte> from, const Part& to) const;
  /// Bytes from the beginning of `memory` to the end of the inputs, which come first in it.
  std::int64_t input_bytes() const;

  const Driver& d;
  Address memory = 0;
  std::int64_t bytes = 0;
  std::vector<Part> inputs;                ///< per input
  std::vector<Part> expected, rms, clean;  ///< per output: doubles or int64; rows; rows
  /// Additions by rounding_room to the allowed squares of each output; empty until they are
  /// measured, as the rms of rows is without them until then.
  std::vector<double> room_squares;
  std::vector<double> least_rms;  ///< see DeviceOracle::answer
};

}  // namespace ke::gpu
