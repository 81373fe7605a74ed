#pragma once
// The launch plan of a GPU kernel: the host's work for it, declared in comments of its source, so
// that no candidate code runs on the host.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/dtype_table.hpp"
#include "core/expression.hpp"
#include "core/result.hpp"

namespace ke {

/// An expression and where it is declared, for messages.
struct PlacedExpression {
  std::string what;  ///< "grid.x", "shared"
  Expression value;
  int line = 0;
};

/// `@scratch NAME TYPE [d0, d1] [zeroed]`: device memory for the plan's own use. Uninitialised
/// before a call, unless zeroed, which happens inside the timed span.
struct Scratch {
  std::string name;
  Dtype type = Dtype::float32;
  std::vector<PlacedExpression> shape;
  bool zeroed = false;
  int line = 0;
};

/// One kernel argument as written: a tensor, scratch, map or table by name, or a number. A bare
/// expression is passed as std::size_t, `int32(e)` and `int64(e)` as those types.
struct PlanArgument {
  enum class Kind { word, size, int32, int64 };
  Kind kind = Kind::word;
  std::string text;  ///< the word, or the expression
  std::optional<PlacedExpression> value;
  int line = 0;
};

/// `@launch KERNEL grid=(..) block=(..) [shared= cluster= carveout= when= args=(..)] [cooperative]
/// [pdl]`.
struct LaunchStage {
  std::string kernel;
  std::string entry;  ///< name in the machine code; empty = `kernel`
  std::vector<PlacedExpression> grid, block, cluster;  ///< one to three; empty cluster = none
  std::optional<PlacedExpression> shared;              ///< dynamic shared memory, bytes
  std::optional<PlacedExpression> carveout;            ///< share of shared memory, percent
  std::optional<std::vector<PlanArgument>> arguments;  ///< none = the task's signature
  bool cooperative = false;
  bool pdl = false;  ///< may begin before the previous stage has ended

  const std::string& name_in_module() const { return entry.empty() ? kernel : entry; }
};

/// `@memset NAME = BYTE`: fills an output or scratch.
struct MemsetStage {
  std::string target;
  std::optional<PlacedExpression> value;
};

/// `@copy TENSOR -> SYMBOL`: copies into a __constant__ or __device__ variable.
struct CopyStage {
  std::string source;
  std::string symbol;
};

/// One stage; exactly one of the three is set.
struct PlanStage {
  int line = 0;
  std::optional<PlacedExpression> when;  ///< 0 = skipped at this workload
  std::optional<LaunchStage> launch;
  std::optional<MemsetStage> memset;
  std::optional<CopyStage> copy;
};

/// `@tensor_map NAME of TENSOR dims=(..) strides=(..) box=(..) [element_strides=(..)]
/// [interleave=none|16B|32B] [swizzle=none|32B|64B|128B] [promotion=none|64B|128B|256B]
/// [fill=zero|nan]`. Dimensions from the innermost; strides in bytes, one fewer than dimensions.
struct TensorMapDeclaration {
  std::string name;
  std::string tensor;
  std::vector<PlacedExpression> dims, strides, box, element_strides;
  std::string interleave = "none", swizzle = "none", promotion = "none", fill = "zero";
  int line = 0;
};

/// `@pointers NAME = (TENSOR, TENSOR, ..)`: a table of addresses in device memory.
struct PointerTable {
  std::string name;
  std::vector<std::string> tensors;
  int line = 0;
};

struct LaunchPlan {
  std::vector<Scratch> scratch;
  std::vector<TensorMapDeclaration> maps;
  std::vector<PointerTable> tables;
  std::vector<PlanStage> stages;  ///< in order, on one stream

  const Scratch* find_scratch(std::string_view name) const;
};

/// Source of a block's thread count and shared memory size.
enum class BlockFrom { plan, compiler };

/// Reads the declarations of a source. A line `// @+ ...` continues the previous declaration. Where
/// the compiler sets the block, @launch takes only `grid`, `when` and `args`. Errors name
/// `name:line`: unknown keys and declarations with the nearest known one; streams, graphs, host
/// code and persisting-L2 windows, which cannot be judged; no @launch at all.
Result<LaunchPlan> parse_launch_plan(std::string_view name, std::string_view source,
                                     BlockFrom block = BlockFrom::plan);

}  // namespace ke
