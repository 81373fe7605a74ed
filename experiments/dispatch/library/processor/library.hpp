#pragma once
// Chooses the kernel for a processor and a shape: of those that this processor can run, the best
// one at the nearest measured shape; if no measured shape is near, the anchor. Calls it with
// aligned tensors. Part of every exported dispatcher for processors.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "aligned.hpp"
#include "nearest_shape.hpp"
#include "processor.hpp"

namespace dispatch {

/// A kernel, or its preparation, with arguments from arrays.
using ArrayCall = void (*)(void* const* tensors, const std::size_t* lengths);

/// A kernel. The first variant is the anchor.
struct Variant {
  const char* name;
  ArrayCall kernel;
  ArrayCall prepare;        ///< null: no preparation
  const Extensions* needs;  ///< null: runs anywhere
  /// True if the kernel keeps variables that threads share, so that one call runs at a time.
  bool keeps_state;
};

/// Argument of index `i` of a function that takes `tensors` pointers and then lengths.
template <typename Argument, std::size_t i, std::size_t tensors>
Argument argument(void* const* places, const std::size_t* lengths) {
  if constexpr (std::is_pointer_v<Argument>) {
    return static_cast<Argument>(places[i]);
  } else {
    return lengths[i - tensors];
  }
}

template <typename... Arguments, std::size_t... i>
void spread(void (*function)(Arguments...), void* const* places, const std::size_t* lengths,
            std::index_sequence<i...>) {
  constexpr std::size_t tensors = (std::size_t{0} + ... + std::is_pointer_v<Arguments>);
  function(argument<Arguments, i, tensors>(places, lengths)...);
}

template <typename... Arguments>
void spread(void (*function)(Arguments...), void* const* places, const std::size_t* lengths) {
  spread(function, places, lengths, std::index_sequence_for<Arguments...>());
}

/// The ArrayCall of a function.
template <auto function>
void with_arrays(void* const* places, const std::size_t* lengths) {
  spread(function, places, lengths);
}

/// Returns the device that matches this processor, else the first.
inline const Measured& this_device(const std::vector<Measured>& devices, const char* processor,
                                   Extensions supported) {
  const auto same = std::find_if(devices.begin(), devices.end(), [&](const Measured& one) {
    return std::strcmp(one.device, processor) == 0 &&
           std::strtoull(one.extensions, nullptr, 16) == supported;
  });
  return same == devices.end() ? devices.front() : *same;
}

/// Returns the best variant at the nearest measured shape that can run with `supported`, else the
/// last of `variants`. At an unknown shape, the anchor precedes all others.
inline const Variant& best_variant(const std::vector<Variant>& variants, const Measured& device,
                                   const std::size_t* asked, std::size_t axes,
                                   Extensions supported) {
  const auto can_run = [&](std::size_t i) {
    return variants[i].needs == nullptr || (*variants[i].needs & ~supported) == 0;
  };
  return variants[best_index(variants.size(), device, asked, axes, can_run)];
}

template <std::size_t axes>
class ProcessorLibrary {
 public:
  ProcessorLibrary(std::vector<TensorSpec> tensors, std::vector<Variant> variants,
                   std::vector<Measured> measured)
      : tensors_(std::move(tensors)),
        variants_(std::move(variants)),
        measured_(std::move(measured)) {
    std::copy_if(tensors_.begin(), tensors_.end(), std::back_inserter(prepared_),
                 [](const TensorSpec& tensor) { return tensor.prepared; });
  }

  void call(const std::size_t* lengths, const void* const* tensors) const {
    auto* const given = const_cast<void* const*>(tensors);
    if (are_aligned(tensors_, given)) return call_aligned(lengths, given);
    const AlignedCopies copies(tensors_, given, lengths);
    call_aligned(lengths, copies.places());
    copies.give_back();
  }

  /// `tensors`: those that may be prepared.
  void prepare(const std::size_t* lengths, const void* const* tensors) const {
    const Variant& variant = chosen(lengths);
    if (variant.prepare == nullptr) return;
    auto* const given = const_cast<void* const*>(tensors);
    const Turn turn(true);
    if (are_aligned(prepared_, given)) return variant.prepare(given, lengths);
    // Kernels may keep pointers to what they prepared: it stays until this thread prepares again.
    thread_local std::unique_ptr<AlignedCopies> kept;
    auto made = std::make_unique<AlignedCopies>(prepared_, given, lengths);
    variant.prepare(made->places(), lengths);
    kept = std::move(made);
  }

  const char* name(const std::size_t* lengths) const { return chosen(lengths).name; }

 private:
  struct Chosen {
    const ProcessorLibrary* by = nullptr;
    std::array<std::size_t, axes> lengths = {};
    const Variant* variant = nullptr;
  };

  void call_aligned(const std::size_t* lengths, void* const* places) const {
    const Variant& variant = chosen(lengths);
    const Turn turn(variant.keeps_state);
    variant.kernel(places, lengths);
  }

  /// Remembers the last shape per thread, because most calls repeat it.
  const Variant& chosen(const std::size_t* lengths) const {
    thread_local Chosen last;
    if (last.by == this && std::equal(lengths, lengths + axes, last.lengths.begin())) {
      return *last.variant;
    }
    last.by = this;
    std::copy_n(lengths, axes, last.lengths.begin());
    last.variant = &best_variant(variants_, device_, lengths, axes, supported_);
    return *last.variant;
  }

  const std::vector<TensorSpec> tensors_;
  std::vector<TensorSpec> prepared_;
  const std::vector<Variant> variants_;
  const std::vector<Measured> measured_;
  const Extensions supported_ = supported_extensions();
  const Measured& device_ = this_device(measured_, ProcessorName().text, supported_);
};

}  // namespace dispatch
