#include "experiments/dispatch/launch_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/text.hpp"
#include "experiments/text/json.hpp"
#include "fitness/plan/resolve_plan.hpp"

namespace ke {
namespace {

std::string formula_text(const std::string& text) { return fmt::format("of({})", quoted(text)); }

/// Text of a formula that plans may leave out.
std::string formula_text(const std::optional<PlacedExpression>& one, const char* otherwise) {
  return formula_text(one ? one->value.text() : otherwise);
}

std::string formulas_text(const std::vector<PlacedExpression>& list) {
  if (list.empty()) return "{}";
  std::vector<std::string> texts;
  for (const PlacedExpression& one : list) texts.push_back(one.value.text());
  return fmt::format("of({})", quoted_list(texts));
}

class Writer {
 public:
  Writer(const Task& task, const LaunchPlan& plan, const std::map<std::string, std::int64_t>& knobs)
      : task_(task), plan_(plan), knobs_(knobs), kernels_(launched_kernels(plan)) {}

  Result<std::string> run() {
    KE_TRY_VOID(refuse_what_is_shared());
    std::vector<std::string> scratch, maps, stages, names;
    for (const Scratch& one : plan_.scratch) {
      scratch.push_back(
          fmt::format("Scratch{{{}, {}}}", formula_text(bytes_text(one)), one.zeroed));
    }
    for (const TensorMapDeclaration& one : plan_.maps) {
      KE_TRY(maps.emplace_back(), map_text(one));
    }
    for (const PlanStage& stage : plan_.stages) {
      KE_TRY(stages.emplace_back(),
             stage.launch ? launch_text(stage, *stage.launch) : memset_text(stage, *stage.memset));
      names.push_back(stage.launch ? stage.launch->kernel : "");
    }
    return fmt::format(
        R"(inline dispatch::LaunchPlan plan() {{
  using namespace dispatch;  // plan.hpp tells the fields
  // Names in formulas stand for axes, constants, knobs and occupancies of stages.
  const Names of({}, {});
  return {{{},
          {},
          {}}};
}}
)",
        names_text(task_, knobs_), quoted_list(names), rows(scratch), rows(maps), rows(stages));
  }

 private:
  static std::string rows(const std::vector<std::string>& list) {
    return fmt::format("{{{}}}", fmt::join(list, ",\n           "));
  }

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

  static std::string bytes_text(const Scratch& scratch) {
    std::vector<Expression> shape;
    for (const PlacedExpression& one : scratch.shape) shape.push_back(one.value);
    return product_text(bytes_of(scratch.type), shape);
  }

  /// A tensor or scratch memory, with its type and bytes. Scratch comes first.
  struct Memory {
    std::string argument;
    Dtype type;
    std::string bytes;
  };

  std::optional<Memory> find_memory(const std::string& name) const {
    if (const Scratch* const scratch = plan_.find_scratch(name)) {
      return Memory{fmt::format("scratch({})", scratch - plan_.scratch.data()), scratch->type,
                    bytes_text(*scratch)};
    }
    const auto tensor = std::ranges::find(task_.tensors, name, &TensorSpec::name);
    if (tensor == task_.tensors.end()) return std::nullopt;
    return Memory{fmt::format("tensor({})", tensor - task_.tensors.begin()), tensor->dtype,
                  product_text(bytes_of(tensor->dtype), tensor->shape)};
  }

  Result<Memory> memory(const std::string& name, int line) const {
    if (auto found = find_memory(name)) return *std::move(found);
    return refusal(line, fmt::format("'{}' is no tensor and no scratch", name));
  }

  Result<std::string> map_text(const TensorMapDeclaration& map) const {
    KE_TRY(const Memory of, memory(map.tensor, map.line));
    const TensorMapCodes codes = tensor_map_codes(map);
    return fmt::format("Map{{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}}}", of.argument,
                       tensor_map_type(of.type), formulas_text(map.dims),
                       formulas_text(map.strides), formulas_text(map.box),
                       formulas_text(map.element_strides), codes.interleave, codes.swizzle,
                       codes.promotion, codes.fill);
  }

  Result<std::string> memset_text(const PlanStage& stage, const MemsetStage& memset) const {
    KE_TRY(const Memory target, memory(memset.target, stage.line));
    return fmt::format("Memset{{{}, {}, {}, {}}}", formula_text(stage.when, "1"), target.argument,
                       formula_text(memset.value, "0"), formula_text(target.bytes));
  }

  Result<std::string> launch_text(const PlanStage& stage, const LaunchStage& launch) const {
    const auto kernel = std::ranges::find(kernels_, launch.name_in_module());
    KE_TRY(const std::vector<std::string> arguments, arguments_of(launch, stage.line));
    return fmt::format("Launch{{{}, {}, {}, {}, {}, {}, {}, {}, {},\n                  {{{}}}}}",
                       formula_text(stage.when, "1"), kernel - kernels_.begin(),
                       formulas_text(launch.grid), formulas_text(launch.block),
                       formulas_text(launch.cluster), formula_text(launch.shared, "0"),
                       formula_text(launch.carveout, "-1"), launch.cooperative, launch.pdl,
                       fmt::join(arguments, ", "));
  }

  Result<std::vector<std::string>> arguments_of(const LaunchStage& launch, int line) const {
    std::vector<std::string> list;
    if (!launch.arguments) {
      for (const std::string& name : task_.signature) {
        KE_TRY(list.emplace_back(), word_argument(name, line));
      }
      return list;
    }
    for (const PlanArgument& argument : *launch.arguments) {
      if (argument.kind == PlanArgument::Kind::word) {
        KE_TRY(list.emplace_back(), word_argument(argument.text, argument.line));
        continue;
      }
      const char* const type = argument.kind == PlanArgument::Kind::int32 ? "int32" : "int64";
      list.push_back(fmt::format("{}({})", type, formula_text(argument.value->value.text())));
    }
    return list;
  }

  Result<std::string> word_argument(const std::string& word, int line) const {
    const auto map = std::ranges::find(plan_.maps, word, &TensorMapDeclaration::name);
    if (map != plan_.maps.end()) return fmt::format("map({})", map - plan_.maps.begin());
    if (const auto found = find_memory(word)) return found->argument;
    const bool known =
        std::ranges::find(task_.axis_arguments, word) != task_.axis_arguments.end() ||
        task_.constants.contains(word) || knobs_.contains(word) || word == "sm_count" ||
        word == "l2_bytes" || word == "smem_optin";
    if (known) return fmt::format("int64({})", formula_text(word));
    return refusal(line, fmt::format("'{}' is no argument of the kernel and no constant", word));
  }

  const Task& task_;
  const LaunchPlan& plan_;
  const std::map<std::string, std::int64_t>& knobs_;
  const std::vector<std::string> kernels_;
};

}  // namespace

std::string quoted(const std::string& text) { return json_text(Json(text), JsonForm::ascii); }

std::string quoted_list(const std::vector<std::string>& texts) {
  std::vector<std::string> list;
  for (const std::string& text : texts) list.push_back(quoted(text));
  return fmt::format("{{{}}}", fmt::join(list, ", "));
}

std::string names_text(const Task& task, const std::map<std::string, std::int64_t>& more) {
  std::map<std::string, std::int64_t> constants = task.constants;
  constants.insert(more.begin(), more.end());
  for (const std::string& axis : task.axis_arguments) constants.erase(axis);
  std::vector<std::string> list;
  for (const auto& [name, value] : constants) {
    list.push_back(fmt::format("{{{}, {}LL}}", quoted(name), value));
  }
  return fmt::format("{}, {{{}}}", quoted_list(task.axis_arguments), fmt::join(list, ", "));
}

std::string product_text(std::size_t factor, const std::vector<Expression>& factors) {
  std::string text = std::to_string(factor);
  for (const Expression& one : factors) {
    const bool plain = std::ranges::all_of(one.text(), may_stand_in_identifier);
    text += plain ? " * " + one.text() : fmt::format(" * ({})", one.text());
  }
  return text;
}

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
