#include "experiments/dispatch/library_text.hpp"
#include "experiments/text/shell_word.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "experiments/dispatch/gpu_library_text.hpp"
#include "experiments/dispatch/result_text.hpp"
#include "experiments/dispatch/tensor_text.hpp"
#include "experiments/view/report/candidates.hpp"
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

/// Some of the task's tensors, then its axes.
Parameters parameters_of(const Task& task, const std::vector<TensorSpec>& tensors) {
  Parameters parameters;
  for (const TensorSpec& tensor : tensors) {
    parameters.declared.push_back(tensor_parameter(tensor));
    parameters.names.push_back(tensor.name);
  }
  for (const std::string& axis : task.axis_arguments) {
    parameters.declared.push_back("size_t " + axis);
    parameters.names.push_back(axis);
  }
  return parameters;
}

Parameters axes_of(const Task& task) { return parameters_of(task, {}); }
Parameters kernel_parameters(const Task& task) { return parameters_of(task, task.tensors); }

/// Inputs that kernels may prepare.
std::vector<TensorSpec> unchanging_inputs(const Task& task) {
  std::vector<TensorSpec> list;
  std::ranges::copy_if(task.tensors, std::back_inserter(list),
                       [](const TensorSpec& tensor) { return !tensor.output && !tensor.changes; });
  return list;
}

Parameters prepare_parameters(const Task& task) {
  return parameters_of(task, unchanging_inputs(task));
}

std::string variant_symbol(const DispatchPlan& plan, const DispatchVariant& variant) {
  return plan.symbol + "_" + variant.name;
}

/// Row of a variant. The fallback comes last; if it prepares nothing, neither does any variant that
/// replaces it.
std::string variant_row(const DispatchPlan& plan, const DispatchVariant& variant) {
  const std::string symbol = variant_symbol(plan, variant);
  const bool anywhere = variant.name == fallback_name;
  return fmt::format("    {{\"{0}\", &{1}, {2}, {3}, {1}_keeps_state}},\n", variant.name, symbol,
                     variant.prepares ? "&" + symbol + "_prepare" : "nullptr",
                     anywhere ? "nullptr" : "&" + symbol + "_needs");
}

std::size_t index_of(const DispatchPlan& plan, const std::string& name) {
  return static_cast<std::size_t>(plan.find(name) - plan.variants.data());
}

std::string shape_table(const DispatchDevice& device, std::size_t number) {
  std::string text = fmt::format("constexpr std::size_t shapes_{}[] = {{\n", number);
  for (const DispatchShape& shape : device.shapes) {
    // An array needs an element: 0 where shapes have no lengths.
    const std::string lengths = fmt::format("{}", fmt::join(shape.lengths, ", "));
    text += fmt::format("    {},  // {}, {}\n", lengths.empty() ? "0" : lengths, shape.label,
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
                     quoted(device.processor), device.extensions, number, number,
                     device.shapes.size(), device.shapes.front().order.size(), device.rule.reach);
}

std::string device_tables(const DispatchPlan& plan) {
  std::string rows;
  for (std::size_t i = 0; i < plan.devices.size(); ++i) rows += device_row(plan.devices[i], i);
  return shape_tables(plan) + "constexpr dispatch::Device devices[] = {\n" + rows + "};\n";
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
  for (const std::string& argument : arguments) text += " " + shell_quoted(argument);
  return text;
}

std::string build_variant(const DispatchVariant& variant) {
  std::string text;
  if (variant.name != fallback_name) {
    text += fmt::format("  needs {}{}\n", variant.name, words_of(target_flags(variant)));
  }
  return text + fmt::format("  variant {}{}\n", variant.name, words_of(variant.arguments));
}

}  // namespace

std::string in_comment(std::string text) {
  for (std::size_t at = text.find("*/"); at != text.npos; at = text.find("*/", at)) text[at] = ' ';
  return text;
}

std::string_view c_type(const TensorSpec& tensor) {
  std::string_view type = row_of(tensor.dtype).cpp;
  if (type.starts_with("std::")) type.remove_prefix(5);
  return type;
}

std::string tensor_parameter(const TensorSpec& tensor) {
  return fmt::format("{}{}* {}", tensor.output ? "" : "const ", c_type(tensor), tensor.name);
}

std::string untyped_pointer(const TensorSpec& tensor) {
  return tensor.output ? tensor.name
                       : fmt::format("const_cast<{}*>({})", c_type(tensor), tensor.name);
}

std::string alignment_text(const Task& task) {
  const std::int64_t align = largest_align(task);
  const auto same = [&](const TensorSpec& tensor) { return tensor.align == align; };
  if (std::ranges::all_of(task.tensors, same)) {
    return fmt::format("all tensors begin at multiples of {} bytes", align);
  }
  std::vector<std::string> list;
  for (const TensorSpec& tensor : task.tensors) {
    list.push_back(fmt::format("{} begins at a multiple of {} bytes", tensor.name, tensor.align));
  }
  return fmt::format("{}", fmt::join(list, ", "));
}

std::string shape_tables(const DispatchPlan& plan) {
  std::string text;
  for (std::size_t i = 0; i < plan.devices.size(); ++i) {
    text += shape_table(plan.devices[i], i) + order_table(plan, plan.devices[i], i);
  }
  return text;
}

bool has_unchanging_inputs(const Task& task) { return !unchanging_inputs(task).empty(); }

namespace {

/// The contract under which the kernels were measured.
std::string contract_text(const Task& task) {
  std::string text = fmt::format(
      "   Tensors are dense, in row-major order, and do not overlap.\n"
      "   Alignment: {}, as when the kernels were\n   measured. Tensors elsewhere are copied to "
      "such "
      "memory and back, which takes time and as much memory\n   again; without that memory the "
      "program ends. malloc and NumPy give 16; aligned_alloc({}, ..) gives\n   enough.\n"
      "   Threads: any thread may call at any time, for different outputs. ",
      alignment_text(task), largest_align(task));
  text += task.threads > 1
              ? fmt::format(
                    "A call uses up to {} threads, as in the\n   measurement: set OMP_NUM_THREADS. "
                    "Calls from several threads at once compete for the cores.\n",
                    task.threads)
              : "A call runs in the caller's thread alone.\n";
  return text + "   Calls of a kernel that keeps variables of its own take turns.";
}

}  // namespace

std::string header_text(const Task& task, const DispatchPlan& plan) {
  constexpr const char* array_parameters = "void* const* tensors, const size_t* lengths";
  std::string text = fmt::format(
      "#ifndef {0}_DISPATCH_H\n#define {0}_DISPATCH_H\n\n#include <stdbool.h>\n#include "
      "<stddef.h>\n#include <stdint.h>\n\n"
      "#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n/* {1}\n{3} */\nvoid {0}({2});\n\n",
      plan.symbol, in_comment(task.description), kernel_parameters(task).declaration(),
      contract_text(task));
  if (has_unchanging_inputs(task)) {
    text += fmt::format(
        "/* To be called before {0}, in the same thread, and again whenever these inputs or the\n"
        "   shape are others than last time. Threads that need different ones take turns over "
        "both\n"
        "   calls. */\nvoid {0}_prepare({1});\n\n",
        plan.symbol, prepare_parameters(task).declaration());
  }
  text += fmt::format(
      "/* Name of the kernel that is called at this shape: {0} at shapes far from\n"
      "   all measured ones. */\nconst char* {1}_variant({2});\n\n"
      "/* The same calls with arrays: tensors and lengths in the order of the arguments above. */\n"
      "void {1}_call({3});\n",
      plan.anchor().name, plan.symbol, axes_of(task).declaration(), array_parameters);
  if (has_unchanging_inputs(task)) {
    text += fmt::format("void {}_call_prepare({});\n", plan.symbol, array_parameters);
  }
  return text + "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
}

namespace {

/// "{const_cast<float*>(x), 64, false}, {y, 64, true}".
std::string tensor_rows(const std::vector<TensorSpec>& tensors) {
  std::vector<std::string> rows;
  for (const TensorSpec& tensor : tensors) {
    rows.push_back(
        fmt::format("{{{}, {}, {}}}", untyped_pointer(tensor), tensor.align, tensor.output));
  }
  return fmt::format("{}", fmt::join(rows, ", "));
}

/// "copies_.at<const float>(0), copies_.at<float>(1), rows": arguments with copies of tensors.
std::string copied_arguments(const Task& task, const std::vector<TensorSpec>& tensors) {
  std::vector<std::string> list;
  for (const TensorSpec& tensor : tensors) {
    list.push_back(fmt::format("copies_.at<{}{}>({})", tensor.output ? "" : "const ",
                               c_type(tensor), list.size()));
  }
  list.insert(list.end(), task.axis_arguments.begin(), task.axis_arguments.end());
  return fmt::format("{}", fmt::join(list, ", "));
}

/// Bytes of some of the task's tensors at a shape, as "bytes_".
std::string sizes_text(const Task& task, const std::vector<TensorSpec>& tensors) {
  std::vector<std::string> places;
  for (const TensorSpec& tensor : tensors) {
    const auto at = std::ranges::find(task.tensors, tensor.name, &TensorSpec::name);
    places.push_back(fmt::format("all_[{}]", at - task.tensors.begin()));
  }
  return fmt::format(
      "  {}\n  std::size_t all_[{}];\n  tensor_bytes(lengths_, all_);\n"
      "  const std::size_t bytes_[] = {{{}}};\n",
      lengths_text(task), task.tensors.size(), fmt::join(places, ", "));
}

std::string call_text(const Task& task, const DispatchPlan& plan) {
  const Parameters axes = axes_of(task), all = kernel_parameters(task);
  return fmt::format(
      R"(namespace {{

/// Calls the chosen kernel with aligned tensors.
void call_aligned({1}) {{
  const Variant& variant_ = chosen({2});
  const dispatch::Turn turn_(variant_.keeps_state);
  variant_.kernel({3});
}}

}}  // namespace

void {0}({1}) {{
  const dispatch::Tensor tensors_[] = {{{4}}};
  if (dispatch::are_aligned(tensors_)) return call_aligned({3});
{5}  const dispatch::AlignedCopies copies_(tensors_, bytes_, {6});
  call_aligned({7});
  copies_.give_back();
}}

const char* {0}_variant({8}) {{ return chosen({2}).name; }}
)",
      plan.symbol, all.declaration(), axes.call(), all.call(), tensor_rows(task.tensors),
      sizes_text(task, task.tensors), task.tensors.size(), copied_arguments(task, task.tensors),
      axes.declaration());
}

/// Kernels may keep pointers to what they prepared, so copies stay until the next preparation.
std::string prepare_text(const Task& task, const DispatchPlan& plan) {
  const Parameters axes = axes_of(task), prepared = prepare_parameters(task);
  const std::vector<TensorSpec> tensors = unchanging_inputs(task);
  return fmt::format(
      R"(
void {0}_prepare({1}) {{
  const Variant& variant_ = chosen({2});
  if (variant_.prepare == nullptr) return;
  const dispatch::Tensor tensors_[] = {{{3}}};
  const dispatch::Turn turn_(true);
  if (dispatch::are_aligned(tensors_)) return variant_.prepare({4});
{5}  // Kernels may keep pointers to what they prepared: it stays until this thread prepares again.
  thread_local std::unique_ptr<dispatch::AlignedCopies> kept_;
  auto made_ = std::make_unique<dispatch::AlignedCopies>(tensors_, bytes_, {6});
  const dispatch::AlignedCopies& copies_ = *made_;
  variant_.prepare({7});
  kept_ = std::move(made_);
}}
)",
      plan.symbol, prepared.declaration(), axes.call(), tensor_rows(tensors), prepared.call(),
      sizes_text(task, tensors), tensors.size(), copied_arguments(task, tensors));
}

/// A call of a function with arguments from arrays.
std::string call_with_arrays(const std::string& function, const std::vector<TensorSpec>& tensors,
                             std::size_t axes) {
  std::vector<std::string> list;
  for (const TensorSpec& tensor : tensors) {
    list.push_back(fmt::format("static_cast<{}{}*>(tensors_[{}])", tensor.output ? "" : "const ",
                               c_type(tensor), list.size()));
  }
  for (std::size_t i = 0; i < axes; ++i) list.push_back(fmt::format("lengths_[{}]", i));
  return fmt::format("{}({});", function, fmt::join(list, ", "));
}

std::string array_calls_text(const Task& task, const DispatchPlan& plan) {
  const std::size_t axes = task.axis_arguments.size();
  constexpr const char* form =
      "\nvoid {}(void* const* tensors_, [[maybe_unused]] const size_t* lengths_) {{\n  {}\n}}\n";
  std::string text =
      fmt::format(form, plan.symbol + "_call", call_with_arrays(plan.symbol, task.tensors, axes));
  if (!has_unchanging_inputs(task)) return text;
  return text +
         fmt::format(form, plan.symbol + "_call_prepare",
                     call_with_arrays(plan.symbol + "_prepare", unchanging_inputs(task), axes));
}

}  // namespace

std::string dispatch_text(const Task& task, const DispatchPlan& plan) {
  std::string rows;
  for (const DispatchVariant& variant : plan.variants) rows += variant_row(plan, variant);
  const Parameters axes = axes_of(task);
  std::string includes = fmt::format("#include \"{}.h\"\n\n", plan.symbol);
  for (const char* file :
       {"aligned.hpp", "choose_variant.hpp", "number.hpp", "objects/state.hpp"}) {
    includes += fmt::format("#include \"{}\"\n", file);
  }
  std::string text = fmt::format(
      R"(// Which kernel computes {0}, at which shape, on which processor. Written from dispatch.json.
{12}
{1}
namespace {{

using Kernel = void (*)({2});
using Prepare = void (*)({3});
using Variant = dispatch::Variant<Kernel, Prepare>;

const Variant variants[] = {{
{4}}};

{5}
{6}
const Variant& chosen({7}) {{
  return dispatch::remembered<{8}, Variant>({{{9}}}, [](const std::size_t* lengths) -> const Variant& {{
    static const dispatch::Extensions supported = dispatch::supported_extensions();
    static const dispatch::Device& device = dispatch::this_device(
        devices, {10}, dispatch::ProcessorName().text, supported);
    return dispatch::best_variant(variants, {11}, device, lengths, {8}, supported);
  }});
}}

}}  // namespace

)",
      plan.symbol, declared_variants(task, plan), kernel_parameters(task).declaration(),
      prepare_parameters(task).declaration(), rows, device_tables(plan), tensor_bytes_text(task),
      axes.declaration(), axes.names.size(), axes.call(), plan.devices.size(), plan.variants.size(),
      includes);
  text += call_text(task, plan);
  if (has_unchanging_inputs(task)) text += prepare_text(task, plan);
  return text + array_calls_text(task, plan);
}

std::string kernels_text(const DispatchPlan& plan, bool headers) {
  std::string variants;
  for (const DispatchVariant& variant : plan.variants) variants += build_variant(variant);
  return fmt::format(
      "# What build.sh builds. Written from dispatch.json.\nlibrary={}\n"
      "judged() {{ \"$CXX\"{} \"$@\"{}; }}\nkernels() {{\n{}}}\n",
      plan.symbol, words_of(judge_flags()), headers ? " -I include" : "", variants);
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
