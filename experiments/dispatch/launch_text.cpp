#include "experiments/dispatch/launch_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "core/text.hpp"
#include "experiments/dispatch/tensor_text.hpp"
#include "fitness/plan/resolve_plan.hpp"

namespace ke {
namespace {

std::string cpp_text(const PlacedExpression& expression) {
  return ke::cpp_text(expression.value.text());
}

std::string cpp_list(const std::vector<PlacedExpression>& list) {
  std::vector<std::string> parts;
  for (const PlacedExpression& one : list) parts.push_back(cpp_text(one));
  return fmt::format("{{{}}}", fmt::join(parts, ", "));
}

/// Writes three lengths; missing ones are 1.
std::string extent(const std::vector<PlacedExpression>& list) {
  std::vector<std::string> parts;
  for (const PlacedExpression& one : list) parts.push_back(cpp_text(one));
  parts.resize(3, "1");
  return fmt::format("{{{}}}", fmt::join(parts, ", "));
}

class Writer {
 public:
  Writer(const Task& task, const LaunchPlan& plan, const std::map<std::string, std::int64_t>& knobs)
      : task_(task), plan_(plan), knobs_(knobs), kernels_(launched_kernels(plan)) {}

  Result<std::string> run() {
    KE_TRY_VOID(refuse_what_is_shared());
    text_ =
        fmt::format("inline dispatch::Status run(dispatch::Run& run_) {{\n{}", number_functions());
    KE_TRY_VOID(declare_names());
    const std::size_t after_names = text_.size();
    KE_TRY_VOID(declare_memory());
    for (std::size_t i = 0; i < plan_.maps.size(); ++i) KE_TRY_VOID(declare_map(plan_.maps[i]));
    for (const Scratch& scratch : plan_.scratch) {
      if (scratch.zeroed) checked(fmt::format("run_.set_bytes({0}, 0, {0}_bytes)", scratch.name));
    }
    for (const PlanStage& stage : plan_.stages) KE_TRY_VOID(add_stage(stage));
    if (text_.find("occupancy_", after_names) != std::string::npos) {
      text_.insert(after_names, occupancies_text());
    }
    return text_ + "  return dispatch::success;\n}\n";
  }

 private:
  static Error refusal(int line, std::string_view what) {
    return {Failure::config, fmt::format("line {}: {}", line, what)};
  }

  Result<void> refuse_what_is_shared() const {
    if (!plan_.tables.empty()) {
      return refusal(plan_.tables.front().line,
                     "a library has no tables of pointers, which calls on two streams would share");
    }
    const auto copies = std::ranges::find_if(
        plan_.stages, [](const PlanStage& stage) { return stage.copy.has_value(); });
    if (copies == plan_.stages.end()) return {};
    return refusal(copies->line,
                   "a library copies into no variable, which calls on two streams would share");
  }

  void line(const std::string& text) { text_ += "  " + text + "\n"; }
  void checked(const std::string& call) {
    line(fmt::format("if (const dispatch::Status status = {}) return status;", call));
  }

  Result<void> declare(const std::string& name, const std::string& value) {
    if (!declared_.insert(name).second) {
      return Error{Failure::config, fmt::format("'{}' names two things of the plan", name)};
    }
    line(fmt::format("[[maybe_unused]] const dispatch::Number {} = {};", name, value));
    return {};
  }

  Result<void> declare_names() {
    for (std::size_t i = 0; i < task_.axis_arguments.size(); ++i) {
      KE_TRY_VOID(declare(task_.axis_arguments[i], fmt::format("run_.axis({})", i)));
    }
    for (const auto& [name, value] : task_.constants) {
      KE_TRY_VOID(declare(name, fmt::format("{}LL", value)));
    }
    for (const auto& [name, value] : knobs_) {
      if (!declared_.contains(name)) KE_TRY_VOID(declare(name, fmt::format("{}LL", value)));
    }
    for (const char* name : {"sm_count", "l2_bytes", "smem_optin"}) {
      if (!declared_.contains(name)) KE_TRY_VOID(declare(name, fmt::format("run_.gpu.{}", name)));
    }
    return {};
  }

  std::size_t kernel_index(const LaunchStage& launch) const {
    return static_cast<std::size_t>(std::ranges::find(kernels_, launch.name_in_module()) -
                                    kernels_.begin());
  }

  /// C++ text that declares `occupancy_<kernel>` once for each kernel, with the block and shared
  /// memory of the first stage that launches it, as in `resolve_plan`.
  std::string occupancies_text() const {
    std::string text;
    std::set<std::string> known;
    for (const PlanStage& stage : plan_.stages) {
      if (!stage.launch || !known.insert(stage.launch->kernel).second) continue;
      if (!is_identifier(stage.launch->kernel)) continue;
      const std::string shared = stage.launch->shared ? cpp_text(*stage.launch->shared) : "0";
      // A block expression that uses an occupancy cannot define one.
      if (extent(stage.launch->block).find("occupancy_") != std::string::npos) continue;
      text += fmt::format(
          "  [[maybe_unused]] const auto occupancy_{} = [&] {{ return "
          "run_.occupancy({}, {}, {}); }};\n",
          stage.launch->kernel, kernel_index(*stage.launch), extent(stage.launch->block), shared);
    }
    return text;
  }

  Result<void> declare_memory() {
    for (const Scratch& scratch : plan_.scratch) {
      std::string bytes = fmt::format("{}LL", bytes_of(scratch.type));
      for (const PlacedExpression& one : scratch.shape) bytes += " * (" + cpp_text(one) + ")";
      KE_TRY_VOID(declare(scratch.name + "_bytes", bytes));
      line(fmt::format("[[maybe_unused]] dispatch::Address {0} = run_.scratch({0}_bytes);",
                       scratch.name));
      memory_.insert(scratch.name);
    }
    line("if (run_.measures) return dispatch::success;");
    for (std::size_t i = 0; i < task_.tensors.size(); ++i) {
      const std::string& name = task_.tensors[i].name;
      if (!memory_.insert(name).second) continue;  // scratch comes first
      line(fmt::format("[[maybe_unused]] dispatch::Address {} = run_.tensor({});", name, i));
    }
    return {};
  }

  Dtype type_of(const std::string& memory) const {
    if (const Scratch* scratch = plan_.find_scratch(memory)) return scratch->type;
    return std::ranges::find(task_.tensors, memory, &TensorSpec::name)->dtype;
  }

  Result<void> declare_map(const TensorMapDeclaration& map) {
    if (!memory_.contains(map.tensor)) {
      return refusal(map.line, fmt::format("'{}' is no tensor and no scratch", map.tensor));
    }
    maps_.insert(map.name);
    const TensorMapCodes codes = tensor_map_codes(map);
    line(fmt::format("dispatch::TensorMap {};", map.name));
    checked(fmt::format("dispatch::Run::map({}, {}, {{{}, {}, {}, {}, {}, {}, {}, {}, {}}})",
                        map.name, map.tensor, tensor_map_type(type_of(map.tensor)),
                        cpp_list(map.dims), cpp_list(map.strides), cpp_list(map.box),
                        cpp_list(map.element_strides), codes.interleave, codes.swizzle,
                        codes.promotion, codes.fill));
    return {};
  }

  Result<void> add_stage(const PlanStage& stage) {
    line(stage.when ? fmt::format("if ({}) {{", ke::cpp_text(stage.when->value.text() + " != 0"))
                    : std::string("{"));
    if (stage.launch) {
      KE_TRY_VOID(add_launch(*stage.launch, stage.line));
    } else {
      KE_TRY_VOID(add_memset(*stage.memset, stage.line));
    }
    line("}");
    return {};
  }

  Result<void> add_memset(const MemsetStage& memset, int at) {
    const auto tensor = std::ranges::find(task_.tensors, memset.target, &TensorSpec::name);
    if (!memory_.contains(memset.target)) {
      return refusal(at, fmt::format("'{}' is no tensor and no scratch", memset.target));
    }
    const std::string bytes = plan_.find_scratch(memset.target) != nullptr
                                  ? memset.target + "_bytes"
                                  : bytes_text(*tensor);
    checked(
        fmt::format("run_.set_bytes({}, {}, {})", memset.target, cpp_text(*memset.value), bytes));
    return {};
  }

  Result<void> add_launch(const LaunchStage& launch, int at) {
    line("dispatch::Launch how;");
    line(fmt::format("how.grid = {};", extent(launch.grid)));
    line(fmt::format("how.block = {};", extent(launch.block)));
    if (launch.shared) line(fmt::format("how.shared = {};", cpp_text(*launch.shared)));
    if (launch.carveout) line(fmt::format("how.carveout = {};", cpp_text(*launch.carveout)));
    if (!launch.cluster.empty()) line(fmt::format("how.cluster = {};", extent(launch.cluster)));
    if (launch.cooperative) line("how.cooperative = true;");
    if (launch.pdl) line("how.dependent = true;");
    KE_TRY(const std::vector<std::string> arguments, arguments_of(launch, at));
    if (arguments.empty()) {
      checked(fmt::format("run_.launch({}, how)", kernel_index(launch)));
      return {};
    }
    line(fmt::format("const dispatch::Argument arguments[] = {{{}}};", fmt::join(arguments, ", ")));
    checked(fmt::format("run_.launch({}, how, arguments)", kernel_index(launch)));
    return {};
  }

  /// Declares a variable for each number; returns the variables.
  Result<std::vector<std::string>> arguments_of(const LaunchStage& launch, int at) {
    std::vector<std::string> names;
    const auto add = [&](const std::string& word, int of) -> Result<void> {
      if (maps_.contains(word) || memory_.contains(word)) {
        names.push_back(word);
        return {};
      }
      if (!declared_.contains(word)) {
        return refusal(of, fmt::format("'{}' is no argument of the kernel and no constant", word));
      }
      names.push_back(number(fmt::format("static_cast<std::uint64_t>(({}).value)", word), 64));
      return {};
    };
    if (!launch.arguments) {
      for (const std::string& name : task_.signature) KE_TRY_VOID(add(name, at));
    } else {
      for (const PlanArgument& argument : *launch.arguments) {
        if (argument.kind == PlanArgument::Kind::word) {
          KE_TRY_VOID(add(argument.text, argument.line));
          continue;
        }
        const std::string value = fmt::format("dispatch::Number({})", cpp_text(*argument.value));
        names.push_back(
            argument.kind == PlanArgument::Kind::int32
                ? number(fmt::format("run_.int32({})", value), 32)
                : number(fmt::format("static_cast<std::uint64_t>({}.value)", value), 64));
      }
    }
    return names;
  }

  std::string number(const std::string& value, int bits) {
    const std::string name = fmt::format("number_{}_", numbers_++);
    line(fmt::format("std::uint{}_t {} = {};", bits, name, value));
    return name;
  }

  const Task& task_;
  const LaunchPlan& plan_;
  const std::map<std::string, std::int64_t>& knobs_;
  const std::vector<std::string> kernels_;
  std::string text_;
  std::set<std::string> declared_;  ///< numbers
  std::set<std::string> memory_;    ///< tensors and scratch
  std::set<std::string> maps_;
  int numbers_ = 0;
};

}  // namespace

std::vector<std::string> launched_kernels(const LaunchPlan& plan) {
  std::vector<std::string> names;
  for (const PlanStage& stage : plan.stages) {
    if (!stage.launch) continue;
    const std::string& name = stage.launch->name_in_module();
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names;
}

Result<std::string> launch_text(const Task& task, const LaunchPlan& plan,
                                const std::map<std::string, std::int64_t>& knobs) {
  return Writer(task, plan, knobs).run();
}

}  // namespace ke
