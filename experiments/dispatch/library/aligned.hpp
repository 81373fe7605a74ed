#pragma once
// Aligned memory in place of tensors that begin elsewhere, and turns of calls. Part of every
// exported dispatcher for processors.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

namespace dispatch {

/// One tensor of a call.
struct Tensor {
  void* at;  ///< an input is only read
  std::size_t align;
  bool output;

  bool is_aligned() const { return reinterpret_cast<std::uintptr_t>(at) % align == 0; }
};

template <std::size_t count>
bool are_aligned(const Tensor (&tensors)[count]) {
  bool all = true;
  for (const Tensor& tensor : tensors) all = all && tensor.is_aligned();
  return all;
}

/// Copies of the tensors that are not aligned; the others are used in place.
class AlignedCopies {
 public:
  /// `bytes`: sizes of the tensors. Ends the program where memory runs out.
  AlignedCopies(const Tensor* tensors, const std::size_t* bytes, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) add(tensors[i], bytes[i]);
  }

  template <typename Element>
  Element* at(std::size_t i) const {
    return static_cast<Element*>(places_[i].at);
  }
  /// Copies outputs to where the caller expects them.
  void give_back() const {
    for (const Place& one : places_) {
      if (one.at != one.asked && one.output) std::memcpy(one.asked, one.at, one.bytes);
    }
  }

 private:
  struct Place {
    void* asked;
    void* at;
    std::size_t bytes;
    bool output;
    std::unique_ptr<char[]> memory;
  };

  void add(const Tensor& tensor, std::size_t bytes) {
    Place place{tensor.at, tensor.at, bytes, tensor.output, nullptr};
    if (!tensor.is_aligned()) {
      place.memory.reset(new char[bytes + tensor.align]);
      const auto begin = reinterpret_cast<std::uintptr_t>(place.memory.get());
      place.at = place.memory.get() + (tensor.align - begin % tensor.align) % tensor.align;
      if (!tensor.output) std::memcpy(place.at, tensor.at, bytes);
    }
    places_.push_back(std::move(place));
  }

  std::vector<Place> places_;
};

/// A call's turn among calls of kernels that keep variables.
class Turn {
 public:
  explicit Turn(bool needed) : hold_(lock(), std::defer_lock) {
    if (needed) hold_.lock();
  }

 private:
  static std::mutex& lock() {
    static std::mutex one;
    return one;
  }
  std::unique_lock<std::mutex> hold_;
};

}  // namespace dispatch
