#pragma once
// A task: what to compute, on which shapes, and how a result is judged. Read from task.yaml.

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/expression.hpp"
#include "core/hash.hpp"
#include "core/kernel.hpp"
#include "core/knob_space.hpp"
#include "core/node.hpp"
#include "core/result.hpp"
#include "core/workload_mean.hpp"
#include "fitness/dtype.hpp"

namespace ke {

/// test and bench decide and are public, validation selects, holdout never selects anything.
enum class Role { test, bench, validation, holdout };
constexpr std::string_view to_string(Role role) {
  constexpr std::string_view names[] = {"test", "bench", "validation", "holdout"};
  return names[static_cast<std::size_t>(role)];
}

/// One tensor of the signature.
struct TensorSpec {
  std::string name;
  Dtype dtype = Dtype::float32;
  std::vector<Expression> shape;  ///< expressions over axes
  std::int64_t align = 64;        ///< bytes
  bool output = false;
  bool changes = true;               ///< false: `changes: never`
  std::vector<std::string> classes;  ///< input classes, e.g. normal, nan_inf
  std::int64_t range_low = 0;        ///< integer inputs: values in [range_low, range_high)
  Expression range_high;
  std::vector<std::int64_t> marks;  ///< integer inputs: values outside the range, as of padding
  double scale = 1;  ///< floating-point inputs: every generated value is multiplied by it
  std::vector<double> numbers;     ///< inputs: values to be drawn among others, such as thresholds
  std::vector<std::string> avoid;  ///< inputs: kinds of lines that are not drawn (line_kinds_of)
};

/// Longest axis that a shape may have.
constexpr std::int64_t largest_axis = std::int64_t{1} << 40;

/// Lengths [low, high] of an axis.
struct AxisRange {
  std::int64_t low = 1;
  std::int64_t high = 1;
};

/// One shape of the task.
struct Workload {
  std::map<std::string, std::int64_t> axes;
  Role role = Role::test;
  /// "rows=512 cols=1024", axes in the order of the task; "one shape" where no axis varies.
  std::string label;
  bool drawn = false;  ///< drawn by the judge; not listed in the task
  /// Inputs take their first classes, which spread over the whole range: beside axes at their
  /// longest, sums and products then reach their largest values.
  bool first_classes = false;
  bool disclosed = false;  ///< findings name the shape and quote values, whatever the role
};

enum class Nonfinite { propagate, row_nan, unspecified };
enum class Subnormals { flush, exact };

struct Tolerance {
  double relative = 0;
  double relative_l2 = 0;    ///< infinity: not demanded
  double scale = 0;          ///< factor on the rms of the reference's row
  double absolute = 0;       ///< a transform that scales an output scales it too, and max_error
  double matched_ratio = 1;  ///< share of an output's elements that must be within these three
  double max_error = std::numeric_limits<double>::infinity();  ///< of every element

  /// Whether an output can be right although an element misses, or wrong although none does.
  bool counts_misses() const {
    return matched_ratio < 1 || max_error < std::numeric_limits<double>::infinity();
  }
  /// Elements of an output that may miss: the most with matched_ratio of them right.
  std::int64_t most_misses(std::int64_t elements) const;
};

/// An exact effect on outputs: multiplying `input` by 2^k multiplies `output` by 2^(k * degree). As
/// a sign rule: negating `input` multiplies `output` by (-1)^degree.
struct ScaleRule {
  std::string input;
  std::string output;
  std::int64_t degree = 1;
};

struct Task {
  std::string name;
  std::string folder;  ///< folder of task.yaml
  std::string description;
  std::string op_type;
  std::string source, licence;    ///< origin of the task, and its terms of use
  std::string category;           ///< group within its collection, e.g. "level 1"
  std::vector<std::string> axes;  ///< in declared order
  std::map<std::string, std::int64_t> constants;
  std::vector<std::string> signature;       ///< tensor names, then axis names
  std::vector<TensorSpec> tensors;          ///< in signature order: inputs, then outputs
  std::vector<std::string> axis_arguments;  ///< axes passed to the kernel, in order
  std::int64_t threads = 1;
  bool libraries = false;  ///< kernels may call what is_vendor_symbol() admits
  bool tf32 = false;  ///< products of float32 may be taken in TF32, also by PyTorch as opponent
  Nonfinite nonfinite = Nonfinite::unspecified;
  Subnormals subnormals = Subnormals::flush;
  std::vector<std::string> permute_axes;
  std::vector<ScaleRule> scale_rules;
  std::vector<ScaleRule> sign_rules;
  /// Inputs that may all be multiplied by the same 2^k without any effect on outputs.
  std::vector<std::string> scaled_together;
  Tolerance tolerance;
  Expression row;  ///< elements of one output row; default: the last dimension of the first output
  Expression bytes;
  Expression flops;
  std::optional<Expression> flops_min;  ///< work that no algorithm can avoid
  std::string reference_source;  ///< text of reference.cpp: double precision, `reference(...)`
  std::string reference_file;    ///< its path, for messages
  std::int64_t reference_limit_ms = 30'000;  ///< limit of one call; large shapes get more
  /// Language of the task's kernels: cpp | cuda | hip | opencl, from the naive kernel's file name.
  std::string language = "cpp";
  std::vector<std::pair<std::string, std::string>>
      kernels;  ///< name -> source: naive, anchor, and stems of other and found kernels
  std::vector<std::string> found;  ///< names of `kernels` that earlier searches found
  /// Another language (hip, or a Python DSL) -> source of the structured kernel in that language.
  std::vector<std::pair<std::string, std::string>> ports;
  std::vector<std::pair<std::string, std::string>> stems;      ///< file stem -> name in `kernels`
  std::vector<std::pair<std::string, std::string>> baselines;  ///< name -> our trusted source
  /// Folder of our headers that kernels may include: key `include`, else the nearest folder
  /// `include` in the task's folder or the two above it; "" when there is none.
  std::string include_dir;
  std::vector<Workload> workloads;
  WorkloadMean mean;  ///< keys `aggregate`, and `weight` of workloads
  /// Lengths at which kernels must be right, for axes that declare them; see axis_range for the
  /// others.
  std::map<std::string, AxisRange> ranges;

  /// Hash of everything that decides a verdict or a figure: task.yaml, all sources, headers.
  Digest content_hash;

  /// Elements of a tensor at a workload.
  Result<std::int64_t> elements(const TensorSpec& tensor, const Workload& workload) const;
  /// Value of an expression at a workload.
  Result<std::int64_t> value(const Expression& expression, const Workload& workload) const;
  /// Whether no axis varies. The task then has one workload, of role bench, which is used for the
  /// purposes of all roles.
  bool has_one_shape() const { return constants.size() == axes.size(); }
  /// The workloads whose purpose is correctness alone: those of role test, or the only one.
  std::vector<const Workload*> test_workloads() const;
  /// Labels of the workloads of a role, in declared order.
  std::vector<std::string> labels(Role role) const;
  /// Source of a kernel by name ("naive", "anchor", a file's stem or the language of a port), or
  /// null.
  const std::string* kernel_source(std::string_view name) const;
  /// Description and reference, for prompts.
  std::string text() const { return description + "\n\n" + reference_source; }
  /// Language of a kernel by name: the language of the task's kernels, or of the port.
  std::string language_of(std::string_view name) const;
};

/// Reads a parsed task.yaml and the files it names. Reports all errors at once, one per line.
Result<Task> read_task(const Node& document, const std::string& folder);

/// The task for evaluators of another language: keeps the naive kernel, which must be valid in that
/// language too, and makes the port the anchor. Error: the task has no kernel in that language.
Result<Task> in_language(Task task, std::string_view language);

using AxisLengths = std::map<std::string, std::int64_t>;

/// The greatest common divisor of an axis's lengths over all workloads.
std::int64_t common_divisor(const Task& task, const std::string& axis);

/// The lengths of an axis at which kernels must be right: the task's declared range, or else from
/// the least to the greatest listed length; for C++ tasks to `beyond_listed` times the greatest.
AxisRange axis_range(const Task& task, const std::string& axis);
inline constexpr std::int64_t beyond_listed = 4;

/// Pairs of axes whose first is not longer than the second at any workload.
std::vector<std::pair<std::string, std::string>> ordered_axes(const Task& task);

/// Whether `axes` respects every pair of ordered_axes.
bool keeps_order(const Task& task, const AxisLengths& axes);

}  // namespace ke
