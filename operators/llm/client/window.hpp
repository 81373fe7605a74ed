#pragma once
// Limits the number of concurrent calls.

#include <algorithm>
#include <cstddef>

namespace ke {

/// Additive increase, multiplicative decrease: a full window of answers widens it by one, an
/// overload halves it. Between 1 and `most`.
class Window {
 public:
  explicit Window(std::size_t most) : most_(static_cast<double>(most)), size_(most_) {}
  std::size_t size() const { return static_cast<std::size_t>(size_); }
  void answered() { size_ = std::min(most_, size_ + 1 / size_); }
  void overloaded() { size_ = std::max(1.0, size_ / 2); }

 private:
  double most_;
  double size_;
};

}  // namespace ke
