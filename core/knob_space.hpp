#pragma once
// What a kernel source declares of its genome: knobs, constraints, flag genes.

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

/// `// @knob NAME int {4, 8} = 8  doc`, `bool = false`, `enum {ij, ji} = ij`.
struct Knob {
  std::string name;
  KnobKind kind = KnobKind::integer;
  std::vector<std::string> values;  ///< in declared order; bool: false, true
  std::size_t default_index = 0;
  std::string doc;

  /// Position of a value in `values`, or `values.size()`.
  std::size_t index_of(std::string_view value) const;
  /// What constraints and macros see: the integer itself, 0/1, or the position of an enum value.
  std::int64_t number(std::string_view value) const;
  /// The same of the value at a position < values.size().
  std::int64_t number_at(std::size_t position) const;
};

/// Position of each knob's value in its list, in declared order. Operators vary these and not the
/// texts of a kernel: most of what they try is refused, and a try costs a tenth.
using Positions = std::vector<std::uint16_t>;

/// One flag or a choice among several; "" = left out. The first alternative is the default.
struct FlagGene {
  std::vector<std::string> alternatives;
};

/// The points of a space that is given by a list: a recorded landscape's.
class PointSet {
 public:
  virtual ~PointSet() = default;
  /// False for positions outside their lists.
  virtual bool contains(std::span<const std::uint16_t> positions) const = 0;
  /// Sets the knobs of `kernel` to those of a uniformly drawn point.
  virtual void draw(Kernel& kernel, RandomStream& random) const = 0;
};

/// The genome that a source declares in its leading comments.
struct KernelSpace {
  std::string task;  ///< @task, may be empty
  std::vector<Knob> knobs;
  std::vector<Expression> constraints;   ///< @require, all must be non-zero
  std::vector<std::string> fixed_flags;  ///< segments of @flags without a choice, always on
  std::vector<FlagGene> flag_genes;
  std::shared_ptr<const PointSet> points;  ///< what alone is admitted; null = all that fits above

  /// A kernel of this space at its declared defaults.
  Kernel defaults(std::string name, std::string source) const;
  /// Whether a kernel has these knobs and as many flags as there are genes, whatever their values.
  bool declares(const Kernel& kernel) const;
  /// Whether it is declared, every knob has a declared value and every constraint holds.
  bool admits(const Kernel& kernel) const;
  bool admits(std::span<const std::uint16_t> positions) const;
  /// Of a declared kernel; values.size() where the value is not in the list.
  Positions positions(const Kernel& kernel) const;
  /// Gives the knobs of a kernel the values at these positions, all within their lists.
  void set(std::span<const std::uint16_t> positions, Kernel& kernel) const;
  /// Number of points without regard to constraints, saturated at 2^62.
  std::uint64_t size() const;
  /// A uniformly drawn admitted point, or nothing after `tries` refusals.
  std::optional<Kernel> sample(const Kernel& base, RandomStream& random, int tries = 1000) const;
  /// -D macros of a kernel: NAME=number, and for enums NAME_value=position each.
  std::vector<std::pair<std::string, std::string>> macros(const Kernel& kernel) const;
  /// All flags of a kernel: the fixed ones, then the chosen alternatives.
  std::vector<std::string> flags(const Kernel& kernel) const;
};

/// Reads the declarations. Errors name `name:line` and what was expected.
Result<KernelSpace> parse_kernel_space(std::string_view name, std::string_view source);

}  // namespace ke
