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

/// How the library is built and called, by its kind.
struct Usage {
  const char* needs;      ///< what build.sh needs
  std::string functions;  ///< continues "declares its functions"
  const char* runs;
  const char* condition = "";  ///< on the kernel that is called
  const char* others = "";     ///< devices that were not measured
};

Usage usage_of(const DispatchPlan& plan) {
  switch (plan.kind()) {
    case LibraryKind::processor:
      return {"g++ and binutils", "", "runs", "\nand that this processor can run"};
    case LibraryKind::opencl:
      return {"g++ alone",
              fmt::format(": `{0}` for buffers\nand a queue, `{0}_on_host` for memory of the host. "
                          "The library holds the kernels' sources, opens\nlibOpenCL.so.1 when it "
                          "is first called, and builds a kernel for a device when it is first "
                          "wanted there",
                          plan.symbol),
              "launches", "\nand that the device can run",
              " They hold for\nthe devices below; others take those of the first."};
    default: break;
  }
  const bool hip = plan.kind() == LibraryKind::hip;
  return {"g++ alone",
          fmt::format(". The library\nholds machine code for the architectures below and opens the "
                      "{} when it is first called{}",
                      hip ? "HIP runtime" : "NVIDIA driver",
                      hip ? ".\nExperimental: libraries for AMD GPUs were tested with stand-ins "
                            "for the HIP runtime alone"
                          : ""),
          "launches"};
}

/// README.md up to the kernels.
std::string readme_head(const Task& task, const DispatchPlan& plan) {
  const Usage usage = usage_of(plan);
  return fmt::format(
      R"(# lib{0}

{1}

`./build.sh` builds `lib{0}.so` with {3}; [{0}.h]({0}.h) declares its functions{4}. A
call {5} the kernel that was best at the nearest measured shape (lengths compared as powers of two){6}.
Where an axis of that shape is longer or shorter by more than the factor named below, or an axis is
shorter than in all measured shapes, it {5} {2}. `{0}_variant` tells the name.
Figures and tables stand in [dispatch.json](dispatch.json).{7}
)",
      plan.symbol, task.description, plan.anchor().name, usage.needs, usage.functions, usage.runs,
      usage.condition, usage.others);
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
