#include "experiments/dispatch/library_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "experiments/dispatch/exported_functions.hpp"
#include "experiments/dispatch/launch_text.hpp"
#include "experiments/text/shell_word.hpp"
#include "experiments/view/report/candidates.hpp"

namespace ke {
namespace {

using Words = std::vector<std::string>;

// --- tables ---

std::string variant_symbol(const DispatchPlan& plan, const DispatchVariant& variant) {
  return plan.symbol + "_" + variant.name;
}

/// C++ identifier for "k1234.sm_90a".
std::string code_name(const DispatchVariant& variant, const GpuCode& code) {
  return variant.name + "_" + code.arch;
}

/// Code that the library holds as data.
struct Embedded {
  std::string symbol;
  std::string path;  ///< below the library's folder
};

/// The modules of a code, or its source.
std::vector<Embedded> embedded(const DispatchVariant& variant, const GpuCode& code) {
  if (code.arch == "opencl") return {{"source_" + variant.name, source_path(variant)}};
  std::vector<Embedded> files;
  for (std::size_t i = 0; i < code.cubins.size(); ++i) {
    files.push_back(
        {fmt::format("cubin_{}_{}", code_name(variant, code), i), image_path(variant, code, i)});
  }
  return files;
}

/// Declares what the kernels' objects define: functions, or code as data; then the launch plans.
std::string declarations(const Task& task, const DispatchPlan& plan) {
  std::string text = "extern \"C\" {\n", plans;
  const bool launched = plan.kind() != LibraryKind::processor;
  for (const DispatchVariant& variant : plan.variants) {
    for (const GpuCode& code : variant.codes) {
      for (const Embedded& file : embedded(variant, code)) {
        text += fmt::format("extern const char {}[];\n", file.symbol);
      }
      plans += fmt::format("namespace {} {{\n#include \"{}.hpp\"\n}}\n", code_name(variant, code),
                           code_stem(variant, code));
    }
    if (launched) continue;
    const std::string symbol = variant_symbol(plan, variant);
    text += fmt::format("void {}({});\n", symbol, kernel_parameters(task, task.tensors));
    if (variant.prepares) {
      text += fmt::format("void {}_prepare({});\n", symbol,
                          kernel_parameters(task, unchanging_inputs(task)));
    }
    if (variant.name == fallback_name) continue;
    text += fmt::format("extern const dispatch::Extensions {}_needs;\n", symbol);
  }
  return text + "}\n" + (plans.empty() ? "" : "\n" + plans);
}

/// The fallback comes last; if it prepares nothing, neither does any variant that replaces it.
std::string processor_row(const DispatchPlan& plan, const DispatchVariant& variant) {
  const std::string symbol = variant_symbol(plan, variant);
  return fmt::format(
      "{{\"{}\", &dispatch::with_arrays<{}>, {}, {}, {}_keeps_state}}", variant.name, symbol,
      variant.prepares ? fmt::format("&dispatch::with_arrays<{}_prepare>", symbol) : "nullptr",
      variant.name == fallback_name ? "nullptr" : "&" + symbol + "_needs", symbol);
}

std::string gpu_row(const DispatchVariant& variant) {
  Words codes;
  for (const GpuCode& code : variant.codes) {
    Words cubins;
    for (const Embedded& file : embedded(variant, code)) cubins.push_back(file.symbol);
    codes.push_back(fmt::format("{{{}, {{{}}}, {}, {}::plan()}}", quoted(code.arch),
                                fmt::join(cubins, ", "), quoted_list(code.kernels),
                                code_name(variant, code)));
  }
  return fmt::format("{{\"{}\", {{{}}}}}", variant.name, fmt::join(codes, ", "));
}

std::string opencl_row(const DispatchVariant& variant) {
  const GpuCode& code = variant.codes.front();
  return fmt::format("{{\"{}\", {}, {}, {}, {}::plan()}}", variant.name,
                     embedded(variant, code).front().symbol,
                     quoted(fmt::format("{}", fmt::join(variant.arguments, " "))),
                     quoted_list(code.kernels), code_name(variant, code));
}

std::string variant_row(const DispatchPlan& plan, const DispatchVariant& variant) {
  switch (plan.kind()) {
    case LibraryKind::processor: return processor_row(plan, variant);
    case LibraryKind::opencl: return opencl_row(variant);
    default: return gpu_row(variant);
  }
}

/// Tables shapes_0, orders_0 and so on: lengths and variants of each device's measured shapes.
std::string shape_tables(const DispatchPlan& plan) {
  std::string text;
  for (std::size_t i = 0; i < plan.devices.size(); ++i) {
    std::string shapes, orders;
    for (const DispatchShape& shape : plan.devices[i].shapes) {
      // An array needs an element: 0 where shapes have no lengths.
      const std::string lengths = fmt::format("{}", fmt::join(shape.lengths, ", "));
      shapes += fmt::format("    {},  // {}, {}\n", lengths.empty() ? "0" : lengths, shape.label,
                            shape.role);
      std::vector<std::ptrdiff_t> order;
      for (const std::string& name : shape.order) {
        order.push_back(plan.find(name) - plan.variants.data());
      }
      orders +=
          fmt::format("    {},  // {}\n", fmt::join(order, ", "), fmt::join(shape.order, " "));
    }
    text += fmt::format(
        "constexpr std::size_t shapes_{0}[] = {{\n{1}}};\n"
        "constexpr unsigned char orders_{0}[] = {{\n{2}}};\n",
        i, shapes, orders);
  }
  return text;
}

std::string device_row(const DispatchDevice& device, std::size_t number) {
  return fmt::format("{{{}, {}, shapes_{}, orders_{}, {}, {}, {}}}", quoted(device.processor),
                     quoted(device.extensions), number, number, device.shapes.size(),
                     device.shapes.front().order.size(), device.rule.reach);
}

std::string tensor_row(const TensorSpec& tensor) {
  return fmt::format("{{{}, {}, {}, of({})}}", tensor.align, tensor.output, may_be_prepared(tensor),
                     quoted(product_text(bytes_of(tensor.dtype), tensor.shape)));
}

std::string rows(const Words& list) {
  std::string text = "{\n";
  for (const std::string& row : list) text += fmt::format("          {},\n", row);
  return text + "      }";
}

std::string_view library_class(const DispatchPlan& plan) {
  switch (plan.kind()) {
    case LibraryKind::processor: return "ProcessorLibrary";
    case LibraryKind::opencl: return "ClLibrary";
    default: return "GpuLibrary";
  }
}

/// The function library_(), which makes the library of all tables.
std::string library_object(const Task& task, const DispatchPlan& plan) {
  Words tensors, variants, devices;
  for (const TensorSpec& tensor : task.tensors) tensors.push_back(tensor_row(tensor));
  for (const DispatchVariant& variant : plan.variants) {
    variants.push_back(variant_row(plan, variant));
  }
  for (const DispatchDevice& device : plan.devices) {
    devices.push_back(device_row(device, devices.size()));
  }
  return fmt::format(
      R"(using Library = dispatch::{5}<{0}>;

Library* make_library() {{
  const dispatch::Names of({1});  // axes and constants
  return new Library(
      // tensors: alignment, is an output, may be prepared, bytes
      {2},
      // kernels
      {3},
      // devices: name, extensions or architecture, shapes, kernels by shape, their counts, reach
      {4});
}}

// Never destroyed: threads may call while the program ends.
Library& library_() {{
  static Library* const made = make_library();
  return *made;
}}
)",
      task.axis_arguments.size(), names_text(task), rows(tensors), rows(variants), rows(devices),
      library_class(plan));
}

std::string includes(const DispatchPlan& plan) {
  std::string text = fmt::format("#include \"{}.h\"\n\n", plan.symbol);
  if (plan.kind() == LibraryKind::hip) text += "#define DISPATCH_HIP\n";
  text += "#include \"library.hpp\"\n";
  if (plan.kind() == LibraryKind::processor) text += "#include \"objects/state.hpp\"\n";
  return text;
}

// --- scripts ---

/// Flags that decide which instructions the compiler may use. A source that names a target itself
/// may need everything that this processor has.
Words target_flags(const DispatchVariant& variant) {
  if (variant.source.find("target") != std::string::npos) return {"-march=native"};
  Words flags;
  std::ranges::copy_if(variant.arguments, std::back_inserter(flags),
                       [](const std::string& flag) { return flag.starts_with("-m"); });
  return flags;
}

std::string shell_words(const Words& arguments) {
  std::string text;
  for (const std::string& argument : arguments) text += " " + shell_quoted(argument);
  return text;
}

std::string build_variant(const DispatchVariant& variant) {
  std::string text;
  if (variant.name != fallback_name) {
    text += fmt::format("  needs {}{}\n", variant.name, shell_words(target_flags(variant)));
  }
  return text + fmt::format("  variant {}{}\n", variant.name, shell_words(variant.arguments));
}

}  // namespace

std::string dispatch_text(const Task& task, const DispatchPlan& plan) {
  std::string text = fmt::format(
      "// Which kernel computes {}, at which shape, on which device. Written from dispatch.json.\n"
      "{}\n{}\nnamespace {{\n\n{}\n{}\n}}  // namespace\n",
      plan.symbol, includes(plan), declarations(task, plan), shape_tables(plan),
      library_object(task, plan));
  for (const ExportedFunction& one : exported_functions(task, plan)) {
    text += fmt::format("\n{} {{\n{}}}\n", one.declaration(plan), one.body);
  }
  return text;
}

std::string kernels_text(const DispatchPlan& plan, bool headers) {
  std::string variants;
  for (const DispatchVariant& variant : plan.variants) variants += build_variant(variant);
  return fmt::format(
      "# What build.sh builds. Written from dispatch.json.\nlibrary={}\n"
      "judged() {{ \"$CXX\"{} \"$@\"{}; }}\nkernels() {{\n{}}}\n",
      plan.symbol, shell_words(judge_flags()), headers ? " -I include" : "", variants);
}

std::string code_text(const DispatchPlan& plan) {
  std::string text =
      "/* The kernels' code, as data. Written from dispatch.json. */\n"
      ".section .note.GNU-stack,\"\",@progbits\n.section .rodata\n";
  for (const DispatchVariant& variant : plan.variants) {
    for (const GpuCode& code : variant.codes) {
      for (const Embedded& file : embedded(variant, code)) {
        // The zero ends sources.
        text +=
            fmt::format(".balign 64\n.global {0}\n.hidden {0}\n{0}:\n.incbin \"{1}\"\n.byte 0\n",
                        file.symbol, file.path);
      }
    }
  }
  return text;
}

std::string names_script(const Task& task, const DispatchPlan& plan) {
  Words names;
  for (const ExportedFunction& one : exported_functions(task, plan)) {
    names.push_back(plan.symbol + one.ending + ";");
  }
  return fmt::format(
      "# Name of the library that build.sh builds, and its functions. Written from dispatch.json.\n"
      "library={}\nfunctions='{}'\n",
      plan.symbol, fmt::join(names, " "));
}

std::string caller_text(const Task& task, const DispatchPlan& plan, const std::string& path) {
  std::string text = fmt::format(
      "#include <dlfcn.h>\n\n#include <cstddef>\n#include <cstdint>\n#include <cstdlib>\n\n"
      "// Trusted: it loads a library.\nstatic void* find(const char* name) {{\n"
      "  static void* const library = dlopen(R\"({})\", RTLD_NOW | RTLD_LOCAL);\n"
      "  void* const found = library == nullptr ? nullptr : dlsym(library, name);\n"
      "  if (found == nullptr) std::abort();\n  return found;\n}}\n",
      path);
  const auto add = [&](const char* function, const std::string& ending,
                       const std::vector<TensorSpec>& tensors) {
    const std::string parameters = kernel_parameters(task, tensors);
    text += fmt::format(
        "\nextern \"C\" void {}({}) {{\n"
        "  static const auto run = reinterpret_cast<void (*)({})>(find(\"{}{}\"));\n  "
        "run({});\n}}\n",
        function, parameters, parameters, plan.symbol, ending, kernel_arguments(task, tensors));
  };
  add("kernel", "", task.tensors);
  const auto prepared = unchanging_inputs(task);
  if (!prepared.empty()) add("prepare", "_prepare", prepared);
  return text;
}

}  // namespace ke
