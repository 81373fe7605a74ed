#pragma once
// Aligned memory in place of tensors that begin elsewhere, and turns of calls. Part of every
// exported dispatcher for processors.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

#include "names.hpp"

namespace dispatch {

/// Copies of the tensors that are not aligned; the others are used in place.
class AlignedCopies {
 public:
  /// Ends the program where memory runs out.
  AlignedCopies(const std::vector<TensorSpec>& tensors, void* const* given,
                const std::size_t* lengths)
      : tensors_(tensors), given_(given, given + tensors.size()), places_(given_) {
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      sizes_.push_back(bytes_of(tensors[i], lengths));
      if (!is_aligned(given[i], tensors[i].align)) copy(i);
    }
  }

  /// Where each tensor lies.
  void* const* places() const { return places_.data(); }

  /// Copies outputs to where the caller expects them.
  void give_back() const {
    for (std::size_t i = 0; i < places_.size(); ++i) {
      const bool copied = places_[i] != given_[i];
      if (copied && tensors_[i].output) std::memcpy(given_[i], places_[i], sizes_[i]);
    }
  }

 private:
  void copy(std::size_t i) {
    const std::size_t align = tensors_[i].align;
    memory_.emplace_back(new char[sizes_[i] + align]);
    char* const begin = memory_.back().get();
    places_[i] = begin + (align - reinterpret_cast<std::uintptr_t>(begin) % align) % align;
    if (!tensors_[i].output) std::memcpy(places_[i], given_[i], sizes_[i]);
  }

  const std::vector<TensorSpec>& tensors_;
  std::vector<void*> given_, places_;
  std::vector<std::size_t> sizes_;
  std::vector<std::unique_ptr<char[]>> memory_;
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
