#pragma once
// Tensors of the task, and the names in its formulas and in those of launch plans. Part of every
// exported dispatcher.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formula.hpp"

namespace dispatch {

using ke::Formula;

/// Binds formulas to the numbers of a call. Their indices: the axes, then sm_count, l2_bytes and
/// smem_optin of the device, then the occupancy of each stage of a launch plan.
class Names {
 public:
  struct Constant {
    const char* name;
    std::int64_t value;
  };

  /// `stages`: names of the kernels; "" for a stage that launches none.
  Names(std::vector<std::string> axes, std::vector<Constant> constants,
        const std::vector<std::string>& stages = {})
      : variables_(std::move(axes)), constants_(std::move(constants)) {
    variables_.insert(variables_.end(), {"sm_count", "l2_bytes", "smem_optin"});
    for (const std::string& stage : stages) variables_.push_back("occupancy(" + stage + ")");
  }

  /// A formula of an unknown name has no value.
  Formula operator()(const char* text) const {
    return Formula(text, [this](std::string_view name) -> Formula::Step {
      for (const Constant& one : constants_) {
        if (name == one.name) return {Formula::Step::number, one.value};
      }
      const auto found = std::find(variables_.begin(), variables_.end(), name);
      if (found == variables_.end()) return {Formula::Step::name, unknown};
      return {Formula::Step::name, found - variables_.begin()};
    });
  }
  std::vector<Formula> operator()(std::initializer_list<const char*> texts) const {
    std::vector<Formula> list;
    for (const char* text : texts) list.push_back((*this)(text));
    return list;
  }

  static constexpr std::int64_t unknown = -1;

 private:
  std::vector<std::string> variables_;
  std::vector<Constant> constants_;
};

/// A tensor of the task.
struct TensorSpec {
  std::size_t align;  ///< in bytes, a power of two
  bool output;
  bool prepared;  ///< an input that kernels may prepare
  Formula bytes;  ///< of the axes
};

/// `align`: a power of two.
inline bool is_aligned(const void* at, std::size_t align) {
  return (reinterpret_cast<std::uintptr_t>(at) & (align - 1)) == 0;
}

inline bool are_aligned(const std::vector<TensorSpec>& tensors, const void* const* places) {
  bool all = true;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    all = all && is_aligned(places[i], tensors[i].align);
  }
  return all;
}

/// Bytes of a tensor at these lengths of the axes; more than any memory has where the formula has
/// no value.
inline std::size_t bytes_of(const TensorSpec& tensor, const std::size_t* lengths) {
  const Formula::Value bytes = tensor.bytes.evaluate([&](std::int64_t axis) -> Formula::Value {
    if (axis == Names::unknown) return {0, Formula::Fault::unknown_name};
    return {static_cast<std::int64_t>(lengths[axis]), Formula::Fault::none};
  });
  if (bytes.fault != Formula::Fault::none) return PTRDIFF_MAX;
  return bytes.number > 0 ? static_cast<std::size_t>(bytes.number) : 0;
}

}  // namespace dispatch
