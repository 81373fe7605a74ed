#pragma once
// The genome declared in a kernel's source: knobs, constraints, flag genes.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/expression.hpp"
#include "core/kernel.hpp"
#include "core/random_stream.hpp"
#include "core/result.hpp"

namespace ke {

enum class KnobKind { integer, boolean, enumeration };
constexpr std::string_view to_string(KnobKind kind) {
  constexpr std::string_view names[] = {"integer", "boolean", "enumeration"};
  return names[static_cast<std::size_t>(kind)];
}

/// A knob as a kernel's source declares it: `// @knob NAME int {4, 8} = 8  doc`, `bool = false`,
/// `enum {ij, ji} = ij`.
struct Knob {
  std::string name;
  KnobKind kind = KnobKind::integer;
  std::vector<std::string> values;  ///< in declared order; bool: false, true
  std::size_t default_index = 0;
  std::string doc;

  /// Position of a value in `values`, or `values.size()`.
  std::size_t index_of(std::string_view value) const;
  /// The number in constraints and macros: the integer, 0/1, or the position of an enum value.
  std::int64_t number(std::string_view value) const;
  /// The number that the value at `position` < values.size() stands for.
  std::int64_t number_at(std::size_t position) const;
};

/// Position of each knob's value in its list, in declared order. Operators vary positions rather
/// than the strings of a kernel: most tries are refused, and a try costs a tenth as much.
using Positions = std::vector<std::uint16_t>;

/// An optional flag or a choice among several; "" = omitted. The first alternative is the default.
struct FlagGene {
  std::vector<std::string> alternatives;
};

/// The points of a space given as a list, e.g. a recorded landscape.
class PointSet {
 public:
  virtual ~PointSet() = default;
  /// False if a position is outside its knob's list.
  virtual bool contains(std::span<const std::uint16_t> positions) const = 0;
  /// Sets the knobs of `kernel` to those of a uniformly drawn point.
  virtual void draw(Kernel& kernel, RandomStream& random) const = 0;
};

/// The genome that a source declares in its leading comments.
struct KernelSpace {
  std::string task;  ///< @task, may be empty
  std::vector<Knob> knobs;
  std::vector<Expression> constraints;   ///< @require, all must be non-zero
  std::vector<std::string> fixed_flags;  ///< segments of @flags without a choice; always on
  std::vector<FlagGene> flag_genes;
  std::shared_ptr<const PointSet> points;  ///< the admitted points; null = by the rules above

  /// The kernel of this space with all defaults.
  Kernel defaults(std::string name, std::string source) const;
  /// Whether a kernel has exactly these knobs and one flag per flag gene, whatever the values.
  bool declares(const Kernel& kernel) const;
  /// Whether `declares` holds, every knob has a declared value and every constraint holds.
  bool admits(const Kernel& kernel) const;
  bool admits(std::span<const std::uint16_t> positions) const;
  /// Positions of a declared kernel's values; values.size() for a value not in the list.
  Positions positions(const Kernel& kernel) const;
  /// Sets the kernel's knobs to the values at these positions, all within their lists.
  void set(std::span<const std::uint16_t> positions, Kernel& kernel) const;
  /// Number of points, ignoring constraints, saturated at 2^62.
  std::uint64_t size() const;
  /// An admitted point drawn uniformly, or nothing after `tries` refusals.
  std::optional<Kernel> sample(const Kernel& base, RandomStream& random, int tries = 1000) const;
  /// -D macros of a kernel: NAME=number, and for enums also NAME_value=position for each value.
  std::vector<std::pair<std::string, std::string>> macros(const Kernel& kernel) const;
  /// All flags of a kernel: the fixed ones, then the chosen alternatives.
  std::vector<std::string> flags(const Kernel& kernel) const;
};

/// Reads the declarations. Errors name `name:line` and what was expected.
Result<KernelSpace> parse_kernel_space(std::string_view name, std::string_view source);

}  // namespace ke
