#include "fitness/plan/resolve_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <set>

#include "core/text.hpp"

namespace ke {
namespace {

constexpr std::string_view axis_letters = "xyz";

/// Limits, with words that name their origin.
struct Bounds {
  std::int64_t low = 0;
  std::int64_t high = 0;
  std::string of;
};

std::int64_t position(std::string_view word, std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), word) - list.begin();
}

class Resolver {
 public:
  Resolver(const LaunchPlan& plan, const PlanContext& context) : plan_(plan), context_(context) {}

  Result<ResolvedPlan> run() {
    for (const Scratch& scratch : plan_.scratch) KE_TRY_VOID(size(scratch));
    for (const TensorMapDeclaration& map : plan_.maps) KE_TRY_VOID(resolve_map(map));
    for (const PointerTable& table : plan_.tables) KE_TRY_VOID(resolve_table(table));
    for (const Scratch& scratch : plan_.scratch) {
      if (!scratch.zeroed) continue;
      ResolvedStep clear;
      KE_TRY(clear.buffer, buffer(scratch.name, scratch.line));
      made_.steps.push_back(std::move(clear));
    }
    for (const PlanStage& stage : plan_.stages) KE_TRY_VOID(resolve_stage(stage));
    const bool launches = std::ranges::any_of(
        made_.steps, [](const ResolvedStep& step) { return !step.kernel.empty(); });
    if (!launches) {
      return Error{Failure::config, fmt::format("no stage is launched at {}: every when= is 0",
                                                context_.workload->label)};
    }
    return std::move(made_);
  }

 private:
  Error fail(const PlacedExpression& expression, std::string_view problem) const {
    return {Failure::config,
            fmt::format("{} = {}{}, line {}", expression.what,
                        expression.value.with_values(lookup()), problem, expression.line)};
  }

  static Error fail_at(int line, std::string_view problem) {
    return {Failure::config, fmt::format("{}, line {}", problem, line)};
  }

  Expression::Lookup lookup() const {
    return [this](std::string_view word) { return value_of(word); };
  }

  std::optional<std::int64_t> value_of(std::string_view word) const {
    const std::string key(word);
    for (const auto* values :
         {&occupancies_, &context_.workload->axes, &context_.task->constants, &context_.knobs}) {
      if (const auto found = values->find(key); found != values->end()) return found->second;
    }
    const DeviceTerms& device = context_.device;
    if (word == "sm_count") return device.sm_count;
    if (word == "l2_bytes") return device.l2_bytes;
    if (word == "smem_optin") return device.smem_optin;
    return std::nullopt;
  }

  std::string nearest(std::string_view word) const {
    std::vector<std::string> known = {"sm_count", "l2_bytes", "smem_optin"};
    for (const auto* values :
         {&context_.workload->axes, &context_.task->constants, &context_.knobs}) {
      for (const auto& [name, value] : *values) known.push_back(name);
    }
    return suggestion(word, known);
  }

  Result<std::int64_t> value(const PlacedExpression& expression) {
    for (const std::string& name : expression.value.names()) {
      if (name.starts_with("occupancy(")) KE_TRY_VOID(ask_occupancy(name, expression));
      if (value_of(name)) continue;
      return fail(expression, fmt::format(": unknown name '{}'{}", name, nearest(name)));
    }
    const auto found = expression.value.evaluate(lookup());
    if (found) return *found;
    const std::string prefix = fmt::format("expression '{}': ", expression.value.text());
    const std::string& message = found.error().message;
    return fail(expression,
                ": " + (message.starts_with(prefix) ? message.substr(prefix.size()) : message));
  }

  Result<std::int64_t> bounded(const PlacedExpression& expression, const Bounds& bounds) {
    KE_TRY(const std::int64_t found, value(expression));
    if (found < bounds.low) {
      return fail(expression, fmt::format(" = {} < {}{}", found, bounds.low, bounds.of));
    }
    if (found > bounds.high) {
      return fail(expression, fmt::format(" = {} > {}{}", found, bounds.high, bounds.of));
    }
    return found;
  }

  // Uses the stage's own block and shared memory, which must not depend on its occupancy.
  Result<void> ask_occupancy(const std::string& name, const PlacedExpression& from) {
    if (occupancies_.contains(name)) return {};
    const std::string wanted = name.substr(10, name.size() - 11);
    if (!asked_.insert(wanted).second) {
      return fail(from, fmt::format(": {} depends on itself", name));
    }
    for (const PlanStage& stage : plan_.stages) {
      if (!stage.launch || stage.launch->kernel != wanted) continue;
      if (!context_.occupancy) return fail(from, ": the occupancy is known on a device only");
      KE_TRY(const auto block, extent(stage.launch->block, context_.device.max_block, "threads"));
      std::int64_t shared = 0;
      if (stage.launch->shared) {
        KE_TRY(shared, shared_bytes(*stage.launch->shared));
      }
      KE_TRY(const std::int64_t blocks, context_.occupancy(stage.launch->name_in_module(),
                                                           block[0] * block[1] * block[2], shared));
      occupancies_[name] = blocks;
      return {};
    }
    return fail(from, fmt::format(": no stage launches '{}'", wanted));
  }

  Result<std::int64_t> shared_bytes(const PlacedExpression& expression) {
    return bounded(expression, {0, context_.device.smem_optin, " bytes of the device"});
  }

  Result<std::vector<std::int64_t>> extent(const std::vector<PlacedExpression>& list,
                                           const std::array<std::int64_t, 3>& most,
                                           std::string_view unit) {
    std::vector<std::int64_t> sizes(3, 1);
    for (std::size_t i = 0; i < list.size(); ++i) {
      KE_TRY(sizes[i], bounded(list[i], {1, most[i],
                                         fmt::format(" {} in {} of the device", unit,
                                                     axis_letters.substr(i, 1))}));
    }
    return sizes;
  }

  Result<PlanBuffer> buffer(std::string_view name, int line) {
    for (std::size_t i = 0; i < plan_.scratch.size(); ++i) {
      if (plan_.scratch[i].name == name) {
        return PlanBuffer{true, static_cast<std::int64_t>(i), made_.scratch_bytes[i]};
      }
    }
    const auto& tensors = context_.task->tensors;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      if (tensors[i].name != name) continue;
      KE_TRY(const std::int64_t elements, context_.task->elements(tensors[i], *context_.workload));
      return PlanBuffer{false, static_cast<std::int64_t>(i),
                        elements * static_cast<std::int64_t>(bytes_of(tensors[i].dtype))};
    }
    return fail_at(line, fmt::format("'{}' is no tensor of the task and no scratch", name));
  }

  Result<void> size(const Scratch& scratch) {
    std::int64_t bytes = static_cast<std::int64_t>(bytes_of(scratch.type));
    for (const PlacedExpression& length : scratch.shape) {
      KE_TRY(const std::int64_t count,
             bounded(length, {1, std::numeric_limits<std::int64_t>::max(), " elements"}));
      if (__builtin_mul_overflow(bytes, count, &bytes)) bytes = INT64_MAX;
    }
    if (bytes > context_.device.memory_bytes / 2) {
      return fail_at(scratch.line,
                     fmt::format("scratch {} takes {} bytes, at most {} may be used", scratch.name,
                                 bytes, context_.device.memory_bytes / 2));
    }
    made_.scratch_bytes.push_back(bytes);
    return {};
  }

  Result<std::vector<std::int64_t>> numbers(const std::vector<PlacedExpression>& list,
                                            const Bounds& bounds) {
    std::vector<std::int64_t> found;
    for (const PlacedExpression& expression : list) {
      KE_TRY(found.emplace_back(), bounded(expression, bounds));
    }
    return found;
  }

  Result<void> resolve_map(const TensorMapDeclaration& map) {
    if (!context_.device.clusters) {
      return fail_at(map.line, "this device has no tensor maps");
    }
    ResolvedMap made;
    KE_TRY(made.buffer, buffer(map.tensor, map.line));
    if (made.buffer.scratch) {
      made.dtype = plan_.scratch[static_cast<std::size_t>(made.buffer.index)].type;
    } else {
      const auto& tensor = context_.task->tensors[static_cast<std::size_t>(made.buffer.index)];
      made.dtype = tensor.dtype;
    }
    KE_TRY(made.dims, numbers(map.dims, {1, std::int64_t{1} << 32, ""}));
    KE_TRY(made.strides_bytes,
           numbers(map.strides, {16, (std::int64_t{1} << 40) - 1, " bytes of a stride"}));
    for (std::size_t i = 0; i < made.strides_bytes.size(); ++i) {
      if (made.strides_bytes[i] % 16 == 0) continue;
      return fail(map.strides[i],
                  fmt::format(" = {}, which is no multiple of 16 bytes", made.strides_bytes[i]));
    }
    KE_TRY(made.box, numbers(map.box, {1, 256, " elements of a box"}));
    KE_TRY(made.element_strides, numbers(map.element_strides, {1, 8, " of an element stride"}));
    made.element_strides.resize(made.dims.size(), 1);
    KE_TRY_VOID(check_extent(map, made));
    static_cast<TensorMapCodes&>(made) = tensor_map_codes(map);
    made_.maps.push_back(std::move(made));
    return {};
  }

  // The map's extent must lie inside its tensor: the copy engine checks only the map's bounds.
  static Result<void> check_extent(const TensorMapDeclaration& map, const ResolvedMap& made) {
    __extension__ typedef __int128 Wide;
    Wide last = static_cast<Wide>(made.dims[0]) * static_cast<Wide>(bytes_of(made.dtype));
    for (std::size_t i = 0; i < made.strides_bytes.size(); ++i) {
      last += static_cast<Wide>(made.dims[i + 1] - 1) * made.strides_bytes[i];
    }
    if (last <= made.buffer.bytes) return {};
    return fail_at(map.line, fmt::format("tensor_map {} reaches beyond the {} bytes of '{}'",
                                         map.name, made.buffer.bytes, map.tensor));
  }

  Result<void> resolve_table(const PointerTable& table) {
    std::vector<PlanBuffer> made;
    for (const std::string& name : table.tensors) {
      KE_TRY(made.emplace_back(), buffer(name, table.line));
    }
    made_.tables.push_back(std::move(made));
    return {};
  }

  Result<void> resolve_stage(const PlanStage& stage) {
    if (stage.when) {
      KE_TRY(const std::int64_t wanted, value(*stage.when));
      if (wanted == 0) return {};
    }
    ResolvedStep step;
    if (stage.launch) {
      KE_TRY(step, resolve_launch(*stage.launch, stage.line));
    } else if (stage.memset) {
      KE_TRY(step.buffer, buffer(stage.memset->target, stage.line));
      if (!step.buffer.scratch && !is_output(step.buffer.index)) {
        return fail_at(stage.line, fmt::format("@memset {}: inputs are not to be written",
                                               stage.memset->target));
      }
      KE_TRY(step.byte, bounded(*stage.memset->value, {0, 255, " of a byte"}));
    } else {
      KE_TRY(step.buffer, buffer(stage.copy->source, stage.line));
      step.symbol = stage.copy->symbol;
    }
    made_.steps.push_back(std::move(step));
    return {};
  }

  bool is_output(std::int64_t index) const {
    return context_.task->tensors[static_cast<std::size_t>(index)].output;
  }

  Result<ResolvedStep> resolve_launch(const LaunchStage& launch, int line) {
    const DeviceTerms& device = context_.device;
    ResolvedStep step;
    step.kernel = launch.name_in_module();
    KE_TRY(step.grid, extent(launch.grid, device.max_grid, "blocks"));
    KE_TRY(step.block, extent(launch.block, device.max_block, "threads"));
    const std::int64_t threads = step.block[0] * step.block[1] * step.block[2];
    if (threads > device.max_threads) {
      return fail_at(line,
                     fmt::format("block = {}*{}*{} = {} > {} threads of the device", step.block[0],
                                 step.block[1], step.block[2], threads, device.max_threads));
    }
    if (launch.shared) {
      KE_TRY(step.shared_bytes, shared_bytes(*launch.shared));
    }
    if (launch.carveout) {
      KE_TRY(step.carveout, bounded(*launch.carveout, {0, 100, " percent"}));
    }
    if (!launch.cluster.empty()) KE_TRY_VOID(cluster(launch, line, step));
    if (launch.pdl && !device.clusters) {
      return fail_at(line, "this device has no programmatic dependent launch");
    }
    step.cooperative = launch.cooperative;
    step.pdl = launch.pdl;
    KE_TRY(step.arguments, arguments(launch, line));
    return step;
  }

  Result<void> cluster(const LaunchStage& launch, int line, ResolvedStep& step) {
    const std::int64_t most = context_.device.max_cluster;
    if (!context_.device.clusters) return fail_at(line, "this device has no clusters");
    KE_TRY(step.cluster, extent(launch.cluster, {most, most, most}, "blocks of a cluster"));
    const std::int64_t blocks = step.cluster[0] * step.cluster[1] * step.cluster[2];
    if (blocks > most) {
      return fail_at(
          line, fmt::format("cluster = {}*{}*{} = {} > {} blocks of the device", step.cluster[0],
                            step.cluster[1], step.cluster[2], blocks, most));
    }
    for (std::size_t i = 0; i < 3; ++i) {
      if (step.grid[i] % step.cluster[i] == 0) continue;
      return fail_at(line, fmt::format("grid.{0} = {1} is no multiple of cluster.{0} = {2}",
                                       axis_letters[i], step.grid[i], step.cluster[i]));
    }
    return {};
  }

  // Without args= a kernel takes the task's signature: tensors, then axes as std::size_t.
  Result<std::vector<ResolvedArgument>> arguments(const LaunchStage& launch, int line) {
    std::vector<ResolvedArgument> made;
    if (!launch.arguments) {
      for (const std::string& name : context_.task->signature) {
        KE_TRY(made.emplace_back(), word_argument(name, line));
      }
      return made;
    }
    for (const PlanArgument& argument : *launch.arguments) {
      if (argument.kind == PlanArgument::Kind::word) {
        KE_TRY(made.emplace_back(), word_argument(argument.text, argument.line));
        continue;
      }
      const bool narrow = argument.kind == PlanArgument::Kind::int32;
      const Bounds bounds = narrow ? Bounds{INT32_MIN, INT32_MAX, " of int32"}
                            : argument.kind == PlanArgument::Kind::size
                                ? Bounds{0, INT64_MAX, ""}
                                : Bounds{INT64_MIN, INT64_MAX, ""};
      KE_TRY(const std::int64_t number, bounded(*argument.value, bounds));
      made.push_back(
          {narrow ? ResolvedArgument::Kind::word32 : ResolvedArgument::Kind::word64, {}, number});
    }
    return made;
  }

  Result<ResolvedArgument> word_argument(const std::string& word, int line) {
    for (std::size_t i = 0; i < plan_.maps.size(); ++i) {
      if (plan_.maps[i].name == word)
        return ResolvedArgument{ResolvedArgument::Kind::map, {}, static_cast<std::int64_t>(i)};
    }
    for (std::size_t i = 0; i < plan_.tables.size(); ++i) {
      if (plan_.tables[i].name == word)
        return ResolvedArgument{ResolvedArgument::Kind::table, {}, static_cast<std::int64_t>(i)};
    }
    if (auto found = buffer(word, line)) {
      return ResolvedArgument{ResolvedArgument::Kind::buffer, *found, 0};
    }
    if (const auto number = value_of(word)) {
      return ResolvedArgument{ResolvedArgument::Kind::word64, {}, *number};
    }
    return fail_at(line, fmt::format("args: '{}' is no tensor, scratch, map, table, axis or knob{}",
                                     word, nearest(word)));
  }

  const LaunchPlan& plan_;
  const PlanContext& context_;
  ResolvedPlan made_;
  std::map<std::string, std::int64_t> occupancies_;
  std::set<std::string> asked_;
};

}  // namespace

TensorMapCodes tensor_map_codes(const TensorMapDeclaration& map) {
  return {position(map.interleave, {"none", "16B", "32B"}),
          position(map.swizzle, {"none", "32B", "64B", "128B"}),
          position(map.promotion, {"none", "64B", "128B", "256B"}),
          position(map.fill, {"zero", "nan"})};
}

int tensor_map_type(Dtype dtype) {
  switch (dtype) {
    case Dtype::uint8:
    case Dtype::int8:
    case Dtype::boolean: return 0;
    case Dtype::int32: return 3;
    case Dtype::int64: return 5;
    case Dtype::float16: return 6;
    case Dtype::float32: return 7;
    case Dtype::float64: return 8;
    case Dtype::bfloat16: return 9;
  }
  return 7;
}

std::map<std::string, std::int64_t> plan_knobs(const KernelSpace& space, const Kernel& kernel) {
  std::map<std::string, std::int64_t> values;
  for (const Knob& knob : space.knobs) {
    const auto found = kernel.knobs.find(knob.name);
    if (found != kernel.knobs.end()) values[knob.name] = knob.number(found->second);
  }
  return values;
}

Result<ResolvedPlan> resolve_plan(const LaunchPlan& plan, const PlanContext& context) {
  KE_CHECK(context.task != nullptr && context.workload != nullptr);
  return Resolver(plan, context).run();
}

}  // namespace ke
