#include "experiments/dispatch/library_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "experiments/dispatch/gpu_library_text.hpp"
#include "experiments/text/json.hpp"
#include "experiments/view/report/build_words.hpp"
#include "experiments/view/report/run_tables.hpp"

namespace ke {
namespace {

/// Parameters of one function: their names and declarations.
struct Parameters {
  std::vector<std::string> declared;
  std::vector<std::string> names;

  std::string declaration() const { return fmt::format("{}", fmt::join(declared, ", ")); }
  std::string call() const { return fmt::format("{}", fmt::join(names, ", ")); }
};

void add_tensor(Parameters& parameters, const TensorSpec& tensor) {
  // The header must also compile as C, where the types have no namespace.
  std::string_view type = row_of(tensor.dtype).cpp;
  if (type.starts_with("std::")) type.remove_prefix(5);
  parameters.declared.push_back(
      fmt::format("{}{}* {}", tensor.output ? "" : "const ", type, tensor.name));
  parameters.names.push_back(tensor.name);
}

Parameters axes_of(const Task& task) {
  Parameters parameters;
  for (const std::string& axis : task.axis_arguments) {
    parameters.declared.push_back("size_t " + axis);
    parameters.names.push_back(axis);
  }
  return parameters;
}

void add(Parameters& parameters, const Parameters& more) {
  parameters.declared.insert(parameters.declared.end(), more.declared.begin(), more.declared.end());
  parameters.names.insert(parameters.names.end(), more.names.begin(), more.names.end());
}

Parameters kernel_parameters(const Task& task) {
  Parameters parameters;
  for (const TensorSpec& tensor : task.tensors) add_tensor(parameters, tensor);
  add(parameters, axes_of(task));
  return parameters;
}

Parameters prepare_parameters(const Task& task) {
  Parameters parameters;
  for (const TensorSpec& tensor : task.tensors) {
    if (!tensor.output && !tensor.changes) add_tensor(parameters, tensor);
  }
  add(parameters, axes_of(task));
  return parameters;
}

std::string variant_symbol(const DispatchPlan& plan, const DispatchVariant& variant) {
  return plan.symbol + "_" + variant.name;
}

/// Row of a variant. The fallback comes last; if it prepares nothing, neither does any variant that
/// replaces it.
std::string variant_row(const DispatchPlan& plan, const DispatchVariant& variant) {
  const std::string symbol = variant_symbol(plan, variant);
  const bool anywhere = variant.name == fallback_name;
  return fmt::format("    {{\"{}\", &{}, {}, {}}},\n", variant.name, symbol,
                     variant.prepares ? "&" + symbol + "_prepare" : "nullptr",
                     anywhere ? "nullptr" : "&" + symbol + "_needs");
}

std::size_t index_of(const DispatchPlan& plan, const std::string& name) {
  return static_cast<std::size_t>(plan.find(name) - plan.variants.data());
}

std::string shape_table(const DispatchDevice& device, std::size_t number) {
  std::string text = fmt::format("constexpr std::size_t shapes_{}[] = {{\n", number);
  for (const DispatchShape& shape : device.shapes) {
    text += fmt::format("    {},  // {}, {}\n", fmt::join(shape.lengths, ", "), shape.label,
                        shape.role);
  }
  return text + "};\n";
}

std::string order_table(const DispatchPlan& plan, const DispatchDevice& device,
                        std::size_t number) {
  std::string text = fmt::format("constexpr unsigned char orders_{}[] = {{\n", number);
  for (const DispatchShape& shape : device.shapes) {
    std::vector<std::size_t> order;
    for (const std::string& name : shape.order) order.push_back(index_of(plan, name));
    text += fmt::format("    {},  // {}\n", fmt::join(order, ", "), fmt::join(shape.order, " "));
  }
  return text + "};\n";
}

std::string device_row(const DispatchDevice& device, std::size_t number) {
  return fmt::format("    {{{}, 0x{}ULL, shapes_{}, orders_{}, {}, {}, {}}},\n",
                     json_text(Json(device.processor), JsonForm::ascii), device.extensions, number,
                     number, device.shapes.size(), device.shapes.front().order.size(),
                     device.rule.reach);
}

std::string device_tables(const DispatchPlan& plan) {
  std::string text, rows;
  for (std::size_t i = 0; i < plan.devices.size(); ++i) {
    text += shape_table(plan.devices[i], i) + order_table(plan, plan.devices[i], i);
    rows += device_row(plan.devices[i], i);
  }
  return text + "constexpr dispatch::Device devices[] = {\n" + rows + "};\n";
}

/// Declares the functions that the variants define.
std::string declared_variants(const Task& task, const DispatchPlan& plan) {
  std::string text = "extern \"C\" {\n";
  for (const DispatchVariant& variant : plan.variants) {
    const std::string symbol = variant_symbol(plan, variant);
    text += fmt::format("void {}({});\n", symbol, kernel_parameters(task).declaration());
    if (variant.prepares) {
      text += fmt::format("void {}_prepare({});\n", symbol, prepare_parameters(task).declaration());
    }
    if (variant.name == fallback_name) continue;
    text += fmt::format("extern const dispatch::Extensions {}_needs;\n", symbol);
  }
  return text + "}\n";
}

/// Flags that decide which instructions the compiler may use. A source that names a target itself
/// may need everything that this processor has.
std::vector<std::string> target_flags(const DispatchVariant& variant) {
  if (variant.source.find("target") != std::string::npos) return {"-march=native"};
  std::vector<std::string> flags;
  std::ranges::copy_if(variant.arguments, std::back_inserter(flags),
                       [](const std::string& flag) { return flag.starts_with("-m"); });
  return flags;
}

std::string words_of(const std::vector<std::string>& arguments) {
  std::string text;
  for (const std::string& argument : arguments) text += " " + shell_word(argument);
  return text;
}

std::string build_variant(const DispatchVariant& variant) {
  std::string text;
  if (variant.name != fallback_name) {
    text += fmt::format("  needs {}{}\n", variant.name, words_of(target_flags(variant)));
  }
  return text + fmt::format("  variant {}{}\n", variant.name, words_of(variant.arguments));
}

std::string figures_text(const DispatchDevice& device) {
  std::string text =
      "| shape | role | kernel | dispatcher over the anchor | champion over it |\n"
      "|---|---|---|---|---|\n";
  for (const DispatchCheck& check : device.checks) {
    text += fmt::format("| {} | {} | {} | {} | {} |\n", check.label, check.role, check.variant,
                        figure_text(check.dispatcher), figure_text(check.champion));
  }
  return text;
}

}  // namespace

std::string in_comment(std::string text) {
  for (std::size_t at = text.find("*/"); at != text.npos; at = text.find("*/", at)) text[at] = ' ';
  return text;
}

bool has_unchanging_inputs(const Task& task) {
  return std::ranges::any_of(
      task.tensors, [](const TensorSpec& tensor) { return !tensor.output && !tensor.changes; });
}

namespace {

/// The contract under which the kernels were measured.
std::string contract_text(const Task& task) {
  std::int64_t align = 1;
  for (const TensorSpec& tensor : task.tensors) align = std::max(align, tensor.align);
  std::string text = fmt::format(
      "   Tensors are dense, in row-major order, do not overlap, and begin at multiples of {} "
      "bytes, as\n   they did when the kernels were measured: kernels may rely on it, and are "
      "slower elsewhere.\n   malloc and NumPy give 16; aligned_alloc({}, ..) gives enough.\n",
      align, align);
  if (task.threads > 1) {
    return text + fmt::format(
                      "   A call uses up to {} threads, as in the measurement: set "
                      "OMP_NUM_THREADS.\n   Calls from several threads at once compete "
                      "for the cores.",
                      task.threads);
  }
  return text +
         "   A call runs in the caller's thread alone; several threads may call at once for "
         "different outputs.";
}

}  // namespace

std::string header_text(const Task& task, const DispatchPlan& plan) {
  std::string text = fmt::format(
      "#ifndef {0}_DISPATCH_H\n#define {0}_DISPATCH_H\n\n#include <stdbool.h>\n#include "
      "<stddef.h>\n#include <stdint.h>\n\n"
      "#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n/* {1}\n{3} */\nvoid {0}({2});\n\n",
      plan.symbol, in_comment(task.description), kernel_parameters(task).declaration(),
      contract_text(task));
  if (has_unchanging_inputs(task)) {
    text += fmt::format(
        "/* To be called before {0}, in the same process, and again whenever these inputs or the\n"
        "   shape are others than last time. */\nvoid {0}_prepare({1});\n\n",
        plan.symbol, prepare_parameters(task).declaration());
  }
  return text + fmt::format(
                    "/* Name of the kernel that is called at this shape: {}, the anchor, at shapes "
                    "far from\n   all measured ones. */\nconst char* "
                    "{}_variant({});\n\n#ifdef __cplusplus\n}}\n#endif\n\n#endif\n",
                    plan.anchor().name, plan.symbol, axes_of(task).declaration());
}

std::string dispatch_text(const Task& task, const DispatchPlan& plan) {
  std::string rows;
  for (const DispatchVariant& variant : plan.variants) rows += variant_row(plan, variant);
  const Parameters axes = axes_of(task), all = kernel_parameters(task),
                   prepared = prepare_parameters(task);
  std::string text = fmt::format(
      "// Which kernel computes {0}, at which shape, on which processor. Written from "
      "dispatch.json.\n"
      "#include \"{0}.h\"\n\n#include \"choose_variant.hpp\"\n\n{1}\nnamespace {{\n\n"
      "using Kernel = void (*)({2});\nusing Prepare = void (*)({3});\n"
      "using Variant = dispatch::Variant<Kernel, Prepare>;\n\nconst Variant variants[] = "
      "{{\n{4}}};\n\n{5}\n"
      "const Variant& chosen({6}) {{\n"
      "  return dispatch::remembered<{7}, Variant>({{{8}}}, [](const std::size_t* lengths) -> "
      "const "
      "Variant& {{\n"
      "    static const dispatch::Extensions supported = dispatch::supported_extensions();\n"
      "    static const dispatch::Device& device = dispatch::this_device(\n"
      "        devices, {9}, dispatch::ProcessorName().text, supported);\n"
      "    return dispatch::best_variant(variants, {10}, device, lengths, {7}, supported);\n"
      "  }});\n}}\n\n}}  // namespace\n\n"
      "void {0}({11}) {{\n  chosen({8}).kernel({12});\n}}\n\n"
      "const char* {0}_variant({6}) {{ return chosen({8}).name; }}\n",
      plan.symbol, declared_variants(task, plan), all.declaration(), prepared.declaration(), rows,
      device_tables(plan), axes.declaration(), axes.names.size(), axes.call(), plan.devices.size(),
      plan.variants.size(), all.declaration(), all.call());
  if (has_unchanging_inputs(task)) {
    text += fmt::format(
        "\nvoid {}_prepare({}) {{\n  const Variant& variant = chosen({});\n"
        "  if (variant.prepare != nullptr) variant.prepare({});\n}}\n",
        plan.symbol, prepared.declaration(), axes.call(), prepared.call());
  }
  return text;
}

std::string kernels_text(const DispatchPlan& plan, bool headers) {
  std::string variants;
  for (const DispatchVariant& variant : plan.variants) variants += build_variant(variant);
  return fmt::format(
      "# What build.sh builds. Written from dispatch.json.\nlibrary={}\n"
      "judged() {{ \"$CXX\"{} \"$@\"{}; }}\nkernels() {{\n{}}}\n",
      plan.symbol, words_of(judge_flags()), headers ? " -I include" : "", variants);
}

namespace {

/// README.md of a library for processors, up to the kernels.
std::string cpu_readme_text(const Task& task, const DispatchPlan& plan) {
  return fmt::format(
      "# lib{0}\n\n{1}\n\n`./build.sh` builds `lib{0}.so`; [{0}.h]({0}.h) declares its function. A "
      "call "
      "runs the\nkernel that was best at the nearest measured shape (lengths compared as powers of "
      "two) and that this\nprocessor can run. Where an axis of that shape is longer or shorter by "
      "more than the factor named\nbelow, or an axis is shorter than in all measured shapes, it "
      "runs "
      "the anchor, {2}.\n`{0}_variant` tells the name. Figures and tables stand in "
      "[dispatch.json](dispatch.json).\n\n| kernel | from | compiled with |\n|---|---|---|\n",
      plan.symbol, task.description, plan.anchor().name);
}

}  // namespace

std::string readme_text(const Task& task, const DispatchPlan& plan) {
  std::string text = plan.on_gpu() ? gpu_readme_text(task, plan) : cpu_readme_text(task, plan);
  for (const DispatchVariant& variant : plan.variants) {
    text += fmt::format("| {} | {} | `{}` |\n", variant.name, variant.origin,
                        fmt::join(variant.arguments, " "));
  }
  for (const DispatchDevice& device : plan.devices) {
    text += fmt::format(
        "\n## {}\n\nMeasured {}. Champion: {}. Largest factor of an axis: {}. The library was "
        "measured after its\nkernels had been chosen; shapes of role holdout had no say in that. "
        "Speedups with 95 % intervals:\n\n{}",
        device.device_class, device.date, device.champion, device.rule.reach, figures_text(device));
  }
  return text;
}

std::string caller_text(const Task& task, const DispatchPlan& plan, const std::string& path) {
  const Parameters all = kernel_parameters(task), prepared = prepare_parameters(task);
  std::string text = fmt::format(
      "#include <dlfcn.h>\n\n#include <cstddef>\n#include <cstdint>\n#include <cstdlib>\n\n"
      "// Trusted: it loads a library.\nstatic void* find(const char* name) {{\n"
      "  static void* const library = dlopen(R\"({})\", RTLD_NOW | RTLD_LOCAL);\n"
      "  void* const found = library == nullptr ? nullptr : dlsym(library, name);\n"
      "  if (found == nullptr) std::abort();\n  return found;\n}}\n\n"
      "extern \"C\" void kernel({}) {{\n"
      "  static const auto run = reinterpret_cast<void (*)({})>(find(\"{}\"));\n  run({});\n}}\n",
      path, all.declaration(), all.declaration(), plan.symbol, all.call());
  if (has_unchanging_inputs(task)) {
    text += fmt::format(
        "\nextern \"C\" void prepare({}) {{\n"
        "  static const auto run = reinterpret_cast<void (*)({})>(find(\"{}_prepare\"));\n  "
        "run({});\n}}\n",
        prepared.declaration(), prepared.declaration(), plan.symbol, prepared.call());
  }
  return text;
}

}  // namespace ke
