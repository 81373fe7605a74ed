#pragma once
// The judge's side of the device: memory shared with the workers, secret contents that stay in the
// judge's context, and kernels that fill, poison and compare.

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "fitness/content/compare.hpp"
#include "fitness/content/content.hpp"
#include "fitness/content/secret_random.hpp"
#include "fitness/gpu/device_content.hpp"
#include "fitness/gpu/driver.hpp"
#include "fitness/gpu/gpu_device.hpp"
#include "fitness/host/output_fill.hpp"

namespace ke::gpu {

/// Positions of one call's buffers in the shared memory, and of the noise around them.
struct Layout {
  struct Noise {
    std::int64_t offset = 0;
    std::int64_t halves = 0;  ///< in units of two bytes: tensors of half types may end after any
    std::uint64_t seed = 0;
  };
  std::vector<std::int64_t> offsets;  ///< tensors in signature order, then scratch
  std::vector<Noise> gaps;
  bool at_end = false;  ///< the last buffer ends at the end of the mapping
};

/// Findings of judge_kernels in one output.
struct DeviceVerdict {
  std::uint64_t wrong = 0;
  std::uint64_t first = ~std::uint64_t{0};
  std::uint64_t worst = 0;  ///< bits of a double
  std::uint64_t beyond = 0;
  double squares = 0;
};

/// The judge's findings after a call.
struct CallFindings {
  std::int64_t changed_inputs = 0;  ///< elements
  std::string changed_input;        ///< the first changed tensor
  std::int64_t broken_gaps = 0;     ///< overwritten byte pairs beside the tensors
  std::optional<Mismatch> mismatch;
  double margin = 0;  ///< largest error used / allowed
  /// The mismatch of a content on the device may vanish once its room is measured.
  bool may_be_rounding = false;
};

/// Owned by the lane's thread, which has the device's context current.
class GpuMemory {
 public:
  /// Takes `bytes` of shared memory on a device; `cubin`: judge_kernels, compiled for it.
  static Result<std::unique_ptr<GpuMemory>> create(const Driver& driver, const GpuInfo& gpu,
                                                   std::int64_t bytes, const std::string& cubin,
                                                   SecretRandom& random);
  ~GpuMemory();

  /// Makes a new descriptor of the shared memory for a worker; the caller closes it.
  Result<int> descriptor() const;
  std::int64_t bytes() const { return bytes_; }
  const Driver& driver() const { return d_; }
  /// Bytes that all contents with tensors on the device may take.
  std::int64_t content_bytes() const { return device_bytes_ / 3; }

  /// A random layout for these buffers. Error: they do not fit.
  Result<Layout> layout(const Shapes& shapes, std::span<const std::int64_t> scratch_bytes);
  /// Writes inputs, fills outputs with bytes of any kind, poisons scratch, fills the gaps; complete
  /// on return.
  Result<void> place(const FreshContent& content, std::span<const std::int64_t> scratch_bytes,
                     const Layout& layout);
  /// Checks inputs, gaps and outputs after a call, with the room for rounding that was measured.
  Result<CallFindings> inspect(const FreshContent& content, const Layout& layout);

  /// Copies to and from the beginning of the shared memory; complete on return.
  Result<void> share(Address from, std::int64_t bytes);
  Result<void> fetch(Address to, std::int64_t bytes);

  /// Rate of a copy of `bytes`, read plus written, per ns: the best of a few.
  Result<double> copy_bytes_per_ns(std::int64_t bytes);

 private:
  struct Stored {
    std::shared_ptr<const Content> content;
    std::shared_ptr<const DeviceContent> copy;
  };
  struct Kernels {
    Function noise, fill, answer, check_gap, place, intact, compare;
  };

  GpuMemory(const Driver& driver, std::int64_t bytes, SecretRandom& random)
      : d_(driver), bytes_(bytes), random_(random) {}
  Result<void> open(int index, const std::string& cubin);
  Result<const DeviceContent*> stored(const FreshContent& content);
  void drop_old(std::int64_t bytes);
  /// `arguments` have exactly the types of the kernel's parameters.
  template <typename... T>
  Result<void> launch(Function function, std::uint64_t items, T... arguments);
  Address at(std::int64_t offset) const { return base_ + static_cast<Address>(offset); }
  Result<void> fill_output(const FreshContent& content, std::size_t output, FillKind kind,
                           const Layout& layout);
  Result<void> write_answer(const FreshContent& content, std::size_t output, std::int64_t offset);
  Result<void> noise(std::int64_t offset, std::int64_t elements, std::uint64_t seed, int kind);
  Result<void> compare_outputs(const FreshContent& content, const DeviceContent& stored,
                               const Layout& layout);
  Result<std::optional<Mismatch>> compare_on_host(const FreshContent& content,
                                                  const Layout& layout);
  /// Describes an output whose expected values are on the device alone.
  Result<Mismatch> describe(const FreshContent& content, const DeviceContent& stored,
                            std::size_t output, const DeviceVerdict& verdict, const Layout& layout);
  Result<double> number_at(Address tensor, std::uint64_t index, Dtype dtype,
                           std::int64_t& integer) const;

  const Driver& d_;
  std::int64_t bytes_;
  std::int64_t device_bytes_ = 0;  ///< of the whole device
  SecretRandom& random_;
  Address base_ = 0;
  Address results_ = 0;
  MemoryHandle handle_ = 0;
  Stream stream_ = nullptr;
  Kernels kernels_{};
  std::list<Stored> stored_;  ///< newest first
  FreshContent last_;         ///< of the last call
  std::int64_t stored_bytes_ = 0;
};

}  // namespace ke::gpu
