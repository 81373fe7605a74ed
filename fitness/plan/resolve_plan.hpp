#pragma once
// Resolves a launch plan at one workload: evaluates all expressions and checks them against the
// device.

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/codec.hpp"
#include "core/knob_space.hpp"
#include "core/result.hpp"
#include "fitness/content/shapes.hpp"
#include "fitness/plan/launch_plan.hpp"
#include "fitness/task.hpp"

namespace ke {

/// Device properties that plans may read, and limits on plans. Defaults: an H200.
struct DeviceTerms {
  std::string name = "device";
  std::int64_t sm_count = 132;
  std::int64_t l2_bytes = 62'914'560;
  std::int64_t smem_optin = 232'448;  ///< dynamic and static shared memory of one block
  std::int64_t max_threads = 1024;    ///< per block
  std::array<std::int64_t, 3> max_block{1024, 1024, 64};
  std::array<std::int64_t, 3> max_grid{2'147'483'647, 65'535, 65'535};
  std::int64_t max_cluster = 8;
  std::int64_t memory_bytes = std::int64_t{140} << 30;
  bool clusters = true;  ///< clusters, tensor maps and programmatic dependent launch

  void encode(Encoder& out) const {
    out(name)(sm_count)(l2_bytes)(smem_optin)(max_threads)(max_cluster)(memory_bytes)(clusters);
    for (std::size_t i = 0; i < 3; ++i) out(max_block[i])(max_grid[i]);
  }
  void decode(Decoder& in) {
    in(name)(sm_count)(l2_bytes)(smem_optin)(max_threads)(max_cluster)(memory_bytes)(clusters);
    for (std::size_t i = 0; i < 3; ++i) in(max_block[i])(max_grid[i]);
  }
};

/// A place in memory during a call: a tensor by signature order, or scratch by declared order.
struct PlanBuffer {
  bool scratch = false;
  std::int64_t index = 0;
  std::int64_t bytes = 0;
  KE_CODED(scratch, index, bytes)
};

struct ResolvedArgument {
  enum class Kind { buffer, map, table, word64, word32 };
  friend constexpr Kind last_value(Kind) { return Kind::word32; }
  Kind kind = Kind::word64;
  PlanBuffer buffer;
  std::int64_t value = 0;  ///< a number, or the position of a map or table
  KE_CODED(kind, buffer, value)
};

/// One step on the stream. A memset has neither kernel nor symbol; a copy has a symbol.
struct ResolvedStep {
  std::string kernel;
  std::vector<std::int64_t> grid, block, cluster;  ///< three each; cluster empty = none
  std::int64_t shared_bytes = 0;
  std::int64_t carveout = -1;  ///< percent, -1 = the driver's choice
  bool cooperative = false, pdl = false;
  std::vector<ResolvedArgument> arguments;
  PlanBuffer buffer;      ///< target of a memset, source of a copy
  std::int64_t byte = 0;  ///< value of a memset
  std::string symbol;     ///< target of a copy
  KE_CODED(kernel, grid, block, cluster, shared_bytes, carveout, cooperative, pdl, arguments,
           buffer, byte, symbol)
};

/// CUDA driver constants for the keywords of a tensor map.
struct TensorMapCodes {
  std::int64_t interleave = 0, swizzle = 0, promotion = 0, fill = 0;
};
TensorMapCodes tensor_map_codes(const TensorMapDeclaration& map);
/// The numbers of a tensor map; each call inserts the address.
struct ResolvedMap : TensorMapCodes {
  PlanBuffer buffer;
  Dtype dtype = Dtype::float32;  ///< type of its elements
  std::vector<std::int64_t> dims, strides_bytes, box, element_strides;
  KE_CODED(buffer, dtype, dims, strides_bytes, box, element_strides, interleave, swizzle, promotion,
           fill)
};

/// CUtensorMapDataType; its only one-byte type is unsigned.
int tensor_map_type(Dtype dtype);

/// A plan with all numbers evaluated, ready to send to a worker.
struct ResolvedPlan {
  std::vector<std::int64_t> scratch_bytes;
  std::vector<ResolvedMap> maps;
  std::vector<std::vector<PlanBuffer>> tables;
  std::vector<ResolvedStep> steps;
  KE_CODED(scratch_bytes, maps, tables, steps)
};

/// Blocks of `kernel` that fit on one multiprocessor.
using OccupancyOf = std::function<Result<std::int64_t>(
    const std::string& kernel, std::int64_t threads, std::int64_t shared_bytes)>;

/// The names that a plan's expressions may use.
struct PlanContext {
  const Task* task = nullptr;
  const Workload* workload = nullptr;
  std::map<std::string, std::int64_t> knobs;
  DeviceTerms device;
  OccupancyOf occupancy;  ///< empty = no stage may ask for occupancy
};

/// Knob values in the form that plans use.
std::map<std::string, std::int64_t> plan_knobs(const KernelSpace& space, const Kernel& kernel);

/// Evaluates a plan. Errors are the kernel's: an expression with its values, the problem with its
/// result, and its line, e.g. "shared = 4*TILE=256*TILE=256 = 262144 > 232448 bytes of the device,
/// line 7".
Result<ResolvedPlan> resolve_plan(const LaunchPlan& plan, const PlanContext& context);

}  // namespace ke
