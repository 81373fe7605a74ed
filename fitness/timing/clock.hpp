#pragma once

#include <cstdint>

namespace ke {

/// Nanoseconds of the judge's steady clock.
std::int64_t now_ns();

/// Adds its own lifetime in ns to a sum.
class AddTime {
 public:
  explicit AddTime(std::int64_t& sum) : sum_(sum), begin_(now_ns()) {}
  ~AddTime() { sum_ += now_ns() - begin_; }
  AddTime(const AddTime&) = delete;
  AddTime& operator=(const AddTime&) = delete;

 private:
  std::int64_t& sum_;
  std::int64_t begin_;
};

}  // namespace ke
