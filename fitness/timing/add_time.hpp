#pragma once

#include <cstdint>

#include "fitness/timing/clock.hpp"

namespace ke {

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
