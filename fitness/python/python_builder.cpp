#include "fitness/python/python_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/knob_space.hpp"
#include "core/signature.hpp"
#include "core/text.hpp"
#include "fitness/gpu/structure.hpp"
#include "fitness/host/build/source_check.hpp"

namespace ke::python {
namespace {

using gpu::GpuBuilt;

constexpr std::int64_t aligned_bytes = 16;

GpuBuilt refused(Verdict verdict, std::string reason, std::string message) {
  return refused_build<GpuBuilt>(verdict, std::move(reason), std::move(message));
}

/// The declared arguments, or else the task's signature.
std::vector<PlanArgument> arguments_of(const LaunchStage& launch, int line, const Task& task) {
  if (launch.arguments) return *launch.arguments;
  std::vector<PlanArgument> list;
  for (const std::string& name : task.signature) {
    list.push_back({PlanArgument::Kind::word, name, std::nullopt, line});
  }
  return list;
}

DslArgument typed(const PlanArgument& argument, const LaunchPlan& plan, const Task& task) {
  if (argument.kind == PlanArgument::Kind::int32) return {"int32", false};
  if (argument.kind != PlanArgument::Kind::word) return {"int64", false};
  if (const Scratch* scratch = plan.find_scratch(argument.text)) {
    return {fmt::format("*{}", to_string(scratch->type)), true};
  }
  for (const TensorSpec& tensor : task.tensors) {
    if (tensor.name != argument.text) continue;
    return {fmt::format("*{}", to_string(tensor.dtype)), tensor.align % aligned_bytes == 0};
  }
  return {"int64", false};
}

/// The part of a plan that DSL kernels cannot use, or "".
std::string refused_part(const LaunchPlan& plan, std::string_view language) {
  const auto told = [](std::string_view what, int line) {
    return fmt::format("line {}: {} cannot be used with kernels of a Python DSL", line, what);
  };
  if (!plan.maps.empty()) return told("@tensor_map", plan.maps[0].line);
  if (!plan.tables.empty()) return told("@pointers", plan.tables[0].line);
  for (const Scratch& scratch : plan.scratch) {
    if (c_type(language, to_string(scratch.type)).empty())
      return told(fmt::format("@scratch of {}", to_string(scratch.type)), scratch.line);
  }
  for (const PlanStage& stage : plan.stages) {
    if (stage.copy) return told("@copy", stage.line);
  }
  return {};
}

/// Each kernel once, as its first @launch calls it. Error: another @launch calls it differently.
Result<std::vector<DslKernel>> kernels_of(const LaunchPlan& plan, const Task& task) {
  std::vector<DslKernel> kernels;
  for (const PlanStage& stage : plan.stages) {
    if (!stage.launch) continue;
    DslKernel kernel{stage.launch->kernel, stage.line, {}};
    for (const PlanArgument& one : arguments_of(*stage.launch, stage.line, task)) {
      kernel.arguments.push_back(typed(one, plan, task));
    }
    const auto known = std::ranges::find(kernels, kernel.name, &DslKernel::name);
    if (known == kernels.end()) {
      kernels.push_back(std::move(kernel));
    } else if (!std::ranges::equal(known->arguments, kernel.arguments, {}, &DslArgument::type,
                                   &DslArgument::type)) {
      return Error{Failure::config,
                   fmt::format("line {}: '{}' is launched with arguments of other types in line {}",
                               stage.line, kernel.name, known->line)};
    }
  }
  return kernels;
}

std::map<std::string, DslConstant> constants_of(const KernelSpace& space, const Kernel& kernel,
                                                const Task& task) {
  std::map<std::string, DslConstant> constants;
  for (const auto& [name, value] : task.constants) constants[name] = value;
  for (const Knob& knob : space.knobs) {
    const std::string& value = kernel.knobs.at(knob.name);
    if (knob.kind == KnobKind::enumeration) constants[knob.name] = value;
    if (knob.kind == KnobKind::boolean) constants[knob.name] = knob.number(value) != 0;
    if (knob.kind == KnobKind::integer) constants[knob.name] = knob.number(value);
  }
  return constants;
}

PlacedExpression constant(std::string what, std::int64_t value, int line) {
  return {std::move(what), *Expression::parse(std::to_string(value)), line};
}

/// Adds the compiler's decisions to the plan.
void complete(LaunchPlan& plan, const std::vector<DslKernel>& kernels, const DslOutput& output,
              const Task& task) {
  for (PlanStage& stage : plan.stages) {
    if (!stage.launch) continue;
    LaunchStage& launch = *stage.launch;
    const auto at = std::ranges::find(kernels, launch.kernel, &DslKernel::name) - kernels.begin();
    const DslModule& module = output.modules[static_cast<std::size_t>(at)];
    launch.entry = module.entry;
    launch.block.clear();
    for (std::size_t i = 0; i < module.block.size(); ++i) {
      launch.block.push_back(
          constant(fmt::format("block.{}", "xyz"[i]), module.block[i], stage.line));
    }
    launch.shared = constant("shared", module.shared_bytes, stage.line);
    launch.arguments = arguments_of(launch, stage.line, task);
    for (std::int64_t i = 0; i < module.hidden_pointers; ++i) {
      launch.arguments->push_back(
          {PlanArgument::Kind::int64, "0", constant("hidden", 0, stage.line), stage.line});
    }
  }
}

std::string ptx_of(const DslOutput& output) {
  std::string ptx;
  for (const DslModule& module : output.modules) ptx += module.assembly;
  return ptx;
}

/// Measures from PTX and the assembler's log; without PTX, the resources from the compiler.
std::map<std::string, double> measures_of(const DslOutput& output, const std::string& ptx) {
  std::map<std::string, double> resources;
  for (const DslModule& module : output.modules) {
    for (const auto& [name, value] : module.resources) {
      resources[name] = std::max(resources[name], value);
    }
  }
  if (ptx.empty()) return resources;
  std::map<std::string, double> measures = gpu::ptx_measures(ptx, output.log);
  for (const DslModule& module : output.modules) {
    double& shared = measures["shared_bytes"];
    shared = std::max(shared, static_cast<double>(module.shared_bytes));
  }
  return measures;
}

GpuBuilt finish(DslOutput output, LaunchPlan plan, const std::vector<DslKernel>& kernels,
                const Task& task, const DeviceTerms& device,
                std::map<std::string, std::int64_t> knobs) {
  complete(plan, kernels, output, task);
  GpuBuilt built;
  const std::string ptx = ptx_of(output);
  built.measures = measures_of(output, ptx);
  for (DslModule& module : output.modules) built.cubins.push_back(std::move(module.code));
  if (std::string problem = gpu::refused_modules(built.cubins); !problem.empty()) {
    return refused(Verdict::rejected, "forbidden_call", std::move(problem));
  }
  built.plan = std::move(plan);
  built.knobs = std::move(knobs);
  return hashed(task, std::move(built), device, {ptx, output.log});
}

}  // namespace

Result<GpuBuilt> build_python(const Task& task, const DeviceTerms& device, const std::string& arch,
                              const DslCompiler& compiler, const Kernel& kernel) {
  DeclaredKernel declared;
  if (auto refusal = read_declarations(kernel, kernel_file, ExtraFlags::refused, declared)) {
    return refused_build<GpuBuilt>(*refusal);
  }
  if (!declared.flags.empty()) {
    return refused(Verdict::rejected, "forbidden_flag",
                   "kernels of a Python DSL take no flags: the compiler's options are knobs");
  }
  auto plan = parse_launch_plan(kernel.name.empty() ? kernel_file : kernel.name, kernel.source,
                                BlockFrom::compiler);
  if (!plan) return refused(Verdict::rejected, "bad_plan", plan.error().message);
  if (std::string part = refused_part(*plan, kernel.language); !part.empty()) {
    return refused(Verdict::rejected, "bad_plan", std::move(part));
  }
  auto kernels = kernels_of(*plan, task);
  if (!kernels) return refused(Verdict::rejected, "bad_plan", kernels.error().message);
  const DslRequest request{kernel.language, kernel.source, arch, *kernels,
                           constants_of(declared.space, kernel, task)};
  KE_TRY(DslOutput output, compiler.compile(request));
  const std::int64_t compile_ns = output.compile_ns;
  GpuBuilt built;
  if (output.verdict == Verdict::ok) {
    built = finish(std::move(output), *std::move(plan), *kernels, task, device,
                   plan_knobs(declared.space, kernel));
  } else {
    static_cast<BuildOutcome&>(built) = std::move(output);
  }
  built.compile_ns = compile_ns;
  return built;
}

namespace {

class PythonCompiler final : public gpu::GpuCompiler {
 public:
  PythonCompiler(std::shared_ptr<const Task> task, std::shared_ptr<const DslCompiler> compiler,
                 std::string only)
      : task_(std::move(task)), compiler_(std::move(compiler)), only_(std::move(only)) {}

  Result<std::string> toolchain(const gpu::GpuTarget&) const override {
    std::string text;
    for (const DslFinding& dsl : compiler_->python.dsls) {
      if (!dsl.usable || (!only_.empty() && dsl.name != only_)) continue;
      text += fmt::format("; {} {}", dsl.name, dsl.version);
    }
    return text;
  }
  Result<GpuBuilt> build(const Kernel& kernel, const gpu::GpuTarget& target) const override {
    return build_python(*task_, target.terms, target.arch, *compiler_, kernel);
  }

 private:
  std::shared_ptr<const Task> task_;
  std::shared_ptr<const DslCompiler> compiler_;
  std::string only_;
};

}  // namespace

std::shared_ptr<const gpu::GpuCompiler> make_python_compiler(
    std::shared_ptr<const Task> task, std::shared_ptr<const DslCompiler> compiler,
    std::string only) {
  return std::make_shared<const PythonCompiler>(std::move(task), std::move(compiler),
                                                std::move(only));
}

}  // namespace ke::python
