// The README.md of an exported dispatcher.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "experiments/dispatch/library_text.hpp"
#include "experiments/dispatch/result_text.hpp"

namespace ke {
namespace {

std::string figures_text(const DispatchPlan& plan, const DispatchDevice& device) {
  std::string text = fmt::format(
      "| shape | role | kernel | library over {} | champion over it |\n|---|---|---|---|---|\n",
      against_text(plan));
  for (const DispatchCheck& check : device.checks) {
    text += fmt::format("| {} | {} | {} | {} | {} |\n", check.label, check.role, check.variant,
                        figure_text(check.dispatcher), figure_text(check.champion));
  }
  return text;
}

/// README.md of a library for processors, up to the kernels.
std::string cpu_readme_text(const Task& task, const DispatchPlan& plan) {
  return fmt::format(
      "# lib{0}\n\n{1}\n\n`./build.sh` builds `lib{0}.so`; [{0}.h]({0}.h) declares its function. A "
      "call "
      "runs the\nkernel that was best at the nearest measured shape (lengths compared as powers of "
      "two) and that this\nprocessor can run. Where an axis of that shape is longer or shorter by "
      "more than the factor named\nbelow, or an axis is shorter than in all measured shapes, it "
      "runs "
      "{2}.\n`{0}_variant` tells the name. Figures and tables stand in "
      "[dispatch.json](dispatch.json).\n",
      plan.symbol, task.description, plan.anchor().name);
}

std::string gpu_readme_text(const Task& task, const DispatchPlan& plan) {
  const bool hip = plan.kind() == LibraryKind::hip;
  return fmt::format(
      R"(# lib{0}

{1}

`./build.sh` builds `lib{0}.so` with g++ alone; [{0}.h]({0}.h) declares its functions. The library
holds machine code for the architectures below and opens the {3} when it is first called.{4} A
call launches the kernel that was best at the nearest measured shape (lengths compared as powers of
two). Where an axis of that shape is longer or shorter by more than the factor named below, or an axis
is shorter than in all measured shapes, it launches {2}. `{0}_variant` tells the name.
Figures and tables stand in [dispatch.json](dispatch.json).
)",
      plan.symbol, task.description, plan.anchor().name, hip ? "HIP runtime" : "NVIDIA driver",
      hip ? "\nExperimental: libraries for AMD GPUs were tested with stand-ins for the HIP runtime "
            "alone."
          : "");
}

std::string opencl_readme_text(const Task& task, const DispatchPlan& plan) {
  return fmt::format(
      R"(# lib{0}

{1}

`./build.sh` builds `lib{0}.so` with g++ alone; [{0}.h]({0}.h) declares its functions: `{0}` for buffers
and a queue, `{0}_on_host` for memory of the host. The library holds the kernels' sources, opens
libOpenCL.so.1 when it is first called, and builds a kernel for a device when it is first wanted there. A
call launches the kernel that was best at the nearest measured shape (lengths compared as powers of two)
and that the device can run. Where an axis of that shape is longer or shorter by more than the factor
named below, or an axis is shorter than in all measured shapes, it launches {2}.
`{0}_variant` tells the name. Figures and tables stand in [dispatch.json](dispatch.json). They hold for
the devices below; others take those of the first.
)",
      plan.symbol, task.description, plan.anchor().name);
}

std::string readme_head(const Task& task, const DispatchPlan& plan) {
  switch (plan.kind()) {
    case LibraryKind::processor: return cpu_readme_text(task, plan);
    case LibraryKind::opencl: return opencl_readme_text(task, plan);
    default: return gpu_readme_text(task, plan);
  }
}

std::string origin_text(const Task& task) {
  if (task.source.empty() && task.licence.empty()) return {};
  const auto stated = [](const std::string& text) { return text.empty() ? "not stated" : text; };
  return fmt::format("\nTask: {}; source: {}; licence: {}.\n", task.name, stated(task.source),
                     stated(task.licence));
}

}  // namespace

std::string kernels_table(const DispatchPlan& plan) {
  std::string text = "\n| kernel | from | compiled with |\n|---|---|---|\n";
  for (const DispatchVariant& variant : plan.variants) {
    text += fmt::format("| {} | {} | `{}` |\n", variant.name, variant.origin,
                        fmt::join(variant.arguments, " "));
  }
  return text;
}

std::string readme_text(const Task& task, const DispatchPlan& plan) {
  std::string text = readme_head(task, plan) + kernels_table(plan) + origin_text(task);
  for (const DispatchDevice& device : plan.devices) {
    text += fmt::format(
        "\n## {}\n\nMeasured {}. Champion: {}. Largest factor of an axis: {}. The library was "
        "measured after its\nkernels had been chosen; shapes of role holdout had no say in that. "
        "Speedups with 95 % intervals:\n\n{}",
        device.device_class, device.date, device.champion, device.rule.reach,
        figures_text(plan, device));
  }
  return text;
}

}  // namespace ke
