#pragma once
// Plans of calls, which an operator keeps for each shape. Part of operator.cpp.

#include <c10/util/SmallVector.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace operators {

/// The data of calls at one shape, computed once.
struct Plan {
  bool outside = false;  ///< the reference computes this shape
  bool empty = false;    ///< the outputs have no elements
  std::vector<std::size_t> lengths;
  std::vector<std::vector<std::int64_t>> shapes;    ///< of outputs
  std::vector<std::array<std::int64_t, 2>> bounds;  ///< of bounded inputs: lowest value, end
  std::size_t workspace = 0;                        ///< bytes
};

/// Device index, shapes of the inputs, lengths that are arguments.
using Shape = c10::SmallVector<std::int64_t, 24>;

struct ShapeHash {
  std::size_t operator()(const Shape& shape) const {
    std::uint64_t hash = 14695981039346656037ULL;  // FNV-1a
    for (const std::int64_t length : shape) {
      hash = (hash ^ static_cast<std::uint64_t>(length)) * 1099511628211ULL;
    }
    return hash;
  }
};

class Plans {
 public:
  std::shared_ptr<const Plan> find(const Shape& shape) {
    const std::lock_guard hold(lock);
    const auto at = plans_.find(shape);
    return at == plans_.end() ? nullptr : at->second;
  }
  void keep(const Shape& shape, std::shared_ptr<const Plan> plan) {
    constexpr std::size_t most = 4096;
    const std::lock_guard hold(lock);
    if (plans_.size() >= most) plans_.clear();
    plans_[shape] = std::move(plan);
  }

  std::mutex lock;

 private:
  std::unordered_map<Shape, std::shared_ptr<const Plan>, ShapeHash> plans_;
};

}  // namespace operators
