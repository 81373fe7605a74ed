#pragma once
// Launch plans of kernels, and their numbers in one call. Part of every exported dispatcher for
// GPUs and OpenCL devices.

#include <cstddef>
#include <cstdint>
#include <map>
#include <variant>
#include <vector>

#include "names.hpp"

namespace dispatch {

using Status = int;  ///< a status of the driver or runtime
inline constexpr Status success = 0;

/// Device properties that formulas of launch plans may name.
struct GpuTerms {
  std::int64_t sm_count, l2_bytes, smem_optin;
};

// --- plans ---

/// An argument of a kernel.
struct Argument {
  enum Kind { tensor, scratch, map, int32, int64 };
  Kind kind;
  std::size_t index;  ///< of a tensor of the task, or of scratch memory or a map of the plan
  Formula number;
};
inline Argument tensor(std::size_t index) { return {Argument::tensor, index, {}}; }
inline Argument scratch(std::size_t index) { return {Argument::scratch, index, {}}; }
inline Argument map(std::size_t index) { return {Argument::map, index, {}}; }
inline Argument int32(Formula number) { return {Argument::int32, 0, std::move(number)}; }
inline Argument int64(Formula number) { return {Argument::int64, 0, std::move(number)}; }

/// A part of the workspace.
struct Scratch {
  Formula bytes;
  bool zeroed;
};

/// A tensor map of NVIDIA's driver: its type, and its lists from the innermost dimension on.
struct Map {
  Argument of;  ///< a tensor or scratch memory
  int type;
  std::vector<Formula> dims, strides, box, steps;
  int interleave, swizzle, promotion, fill;
};

/// Fills memory.
struct Memset {
  Formula when;  ///< 0 = skipped
  Argument target;
  Formula byte, bytes;
};

struct Launch {
  Formula when;                      ///< 0 = skipped
  std::size_t kernel;                ///< index in the variant's kernels
  std::vector<Formula> grid, block;  ///< up to three lengths
  std::vector<Formula> cluster;      ///< none = no cluster
  Formula shared, carveout;          ///< bytes; percent, -1 = the driver chooses
  bool cooperative;
  bool dependent;  ///< may begin before the previous launch has ended
  std::vector<Argument> arguments;
};

struct LaunchPlan {
  std::vector<Scratch> scratch;
  std::vector<Map> maps;
  std::vector<std::variant<Memset, Launch>> stages;
};

// --- numbers of one call ---

/// CUtensorMap.
struct alignas(128) TensorMap {
  std::uint64_t opaque[16];
};

/// A call of a plan at one shape.
class PlanCall {
 public:
  PlanCall(const LaunchPlan& plan, const GpuTerms& terms, const std::vector<std::size_t>& lengths,
           const void* const* tensors)
      : plan_(plan), terms_(terms), lengths_(lengths), tensors_(tensors) {}
  PlanCall(const PlanCall&) = delete;
  PlanCall& operator=(const PlanCall&) = delete;

 protected:
  using Address = std::uint64_t;

  ~PlanCall() = default;

  /// Blocks of a launch that fit on one multiprocessor.
  virtual std::int64_t occupancy(const Launch&) { return 0; }

  /// Whether the call only asks if it would launch at these lengths.
  bool only_checks() const { return tensors_ == nullptr; }

  /// Runs the stages that are wanted, by run(stage). `invalid`: the status where a number is none,
  /// or where no stage is wanted, since outputs would stay as they are.
  template <typename Run>
  Status run_stages(Status invalid, const Run& run) {
    bool any = false;
    for (const auto& stage : plan_.stages) {
      const auto run_if_wanted = [&](const auto& one) {
        const bool wanted = number(one.when) != 0;
        any = any || wanted;
        if (!fits()) return invalid;
        return wanted ? run(one) : success;
      };
      if (const Status status = std::visit(run_if_wanted, stage)) return status;
    }
    return any ? success : invalid;
  }

  /// False after a number that the plan has not, or that is out of its range.
  bool fits() const { return fits_; }

  std::int64_t number(const Formula& formula, std::int64_t low = INT64_MIN,
                      std::int64_t high = INT64_MAX) {
    const Formula::Value value =
        formula.evaluate([this](std::int64_t index) { return value_of(index); });
    fits_ =
        fits_ && value.fault == Formula::Fault::none && value.number >= low && value.number <= high;
    return value.number;
  }

  /// Three lengths, from 1 to 2^31 - 1; missing ones are 1.
  template <typename Length>
  void put(Length* into, const std::vector<Formula>& lengths) {
    for (std::size_t i = 0; i < 3; ++i) {
      into[i] = i < lengths.size() ? static_cast<Length>(number(lengths[i], 1, INT32_MAX)) : 1;
    }
  }

  /// Address of a tensor, or of scratch memory; 0 of a tensor in a call without tensors.
  Address address(const Argument& of) const {
    if (of.kind == Argument::scratch) return scratch_[of.index];
    return tensors_ == nullptr ? 0 : reinterpret_cast<Address>(tensors_[of.index]);
  }

  /// Where the values of a launch's arguments lie, until it is called again.
  void** arguments(const Launch& launch) {
    const std::size_t count = launch.arguments.size();
    words_.resize(count);
    pointers_.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      const Argument& one = launch.arguments[i];
      pointers_[i] = &words_[i];
      switch (one.kind) {
        case Argument::tensor:
        case Argument::scratch: words_[i] = address(one); break;
        case Argument::map: pointers_[i] = &maps_[one.index]; break;
        case Argument::int32:  // its bytes come first
          words_[i] = static_cast<std::uint32_t>(number(one.number, INT32_MIN, INT32_MAX));
          break;
        case Argument::int64: words_[i] = static_cast<std::uint64_t>(number(one.number)); break;
      }
    }
    return pointers_.data();
  }

  const LaunchPlan& plan_;
  std::vector<Address> scratch_;
  std::vector<TensorMap> maps_;

 private:
  Formula::Value value_of(std::int64_t index) {
    constexpr auto known = Formula::Fault::none;
    if (index == Names::unknown) return {0, Formula::Fault::unknown_name};
    auto i = static_cast<std::size_t>(index);
    if (i < lengths_.size()) return {static_cast<std::int64_t>(lengths_[i]), known};
    const std::int64_t terms[] = {terms_.sm_count, terms_.l2_bytes, terms_.smem_optin};
    i -= lengths_.size();
    if (i < std::size(terms)) return {terms[i], known};
    return occupancy_of(i - std::size(terms));
  }

  /// Each is asked for once; one that depends on itself has no value.
  Formula::Value occupancy_of(std::size_t stage) {
    const auto [known, is_new] = occupancies_.insert({stage, {0, Formula::Fault::no_formula}});
    if (is_new) {
      const std::int64_t blocks = occupancy(std::get<Launch>(plan_.stages[stage]));
      known->second = {blocks, Formula::Fault::none};
    }
    return known->second;
  }

  const GpuTerms& terms_;
  const std::vector<std::size_t>& lengths_;
  const void* const* tensors_;
  bool fits_ = true;
  std::map<std::size_t, Formula::Value> occupancies_;  ///< by stage
  std::vector<std::uint64_t> words_;
  std::vector<void*> pointers_;
};

}  // namespace dispatch
