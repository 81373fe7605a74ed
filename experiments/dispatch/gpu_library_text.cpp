#include "experiments/dispatch/gpu_library_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "experiments/dispatch/library_text.hpp"
#include "experiments/text/json.hpp"

namespace ke {
namespace {

/// Parameters such as "const void* x, void* y, size_t rows": device memory is untyped here.
std::vector<std::string> tensor_parameters(const Task& task) {
  std::vector<std::string> list;
  for (const TensorSpec& tensor : task.tensors) {
    list.push_back(fmt::format("{}void* {}", tensor.output ? "" : "const ", tensor.name));
  }
  return list;
}

std::vector<std::string> axis_parameters(const Task& task) {
  std::vector<std::string> list;
  for (const std::string& axis : task.axis_arguments) list.push_back("size_t " + axis);
  return list;
}

std::string joined(std::vector<std::string> list, const std::vector<std::string>& more) {
  list.insert(list.end(), more.begin(), more.end());
  return fmt::format("{}", fmt::join(list, ", "));
}

/// Declarations of a library's three functions. `any` points into the memory of the GPU in
/// question.
struct Signatures {
  std::string call, workspace, variant;
};

Signatures signatures(const Task& task, const DispatchPlan& plan) {
  const auto axes = axis_parameters(task);
  const std::string& symbol = plan.symbol;
  std::vector<std::string> all = tensor_parameters(task);
  all.insert(all.end(), axes.begin(), axes.end());
  return {fmt::format("int {}({})", symbol, joined(all, {"void* workspace", "void* stream"})),
          fmt::format("size_t {}_workspace({})", symbol, joined({"const void* any"}, axes)),
          fmt::format("const char* {}_variant({})", symbol, joined({"const void* any"}, axes))};
}

/// C++ identifier for "k1234.sm_90a".
std::string code_name(const DispatchVariant& variant, const GpuCode& code) {
  return variant.name + "_" + code.arch;
}

std::string cubin_symbol(const DispatchVariant& variant, const GpuCode& code, std::size_t i) {
  return fmt::format("cubin_{}_{}", code_name(variant, code), i);
}

std::string quoted(const std::string& text) { return json_text(Json(text), JsonForm::ascii); }

std::string quoted_list(const std::vector<std::string>& texts) {
  std::vector<std::string> list;
  for (const std::string& text : texts) list.push_back(quoted(text));
  return fmt::format("{{{}}}", fmt::join(list, ", "));
}

template <typename Visit>
void each_code(const DispatchPlan& plan, Visit visit) {
  for (const DispatchVariant& variant : plan.variants) {
    for (const GpuCode& code : variant.codes) visit(variant, code);
  }
}

std::string plans_text(const DispatchPlan& plan) {
  std::string text;
  each_code(plan, [&](const DispatchVariant& variant, const GpuCode& code) {
    text += fmt::format("namespace {} {{\n#include \"{}.hpp\"\n}}\n", code_name(variant, code),
                        code_stem(variant, code));
  });
  return text;
}

std::string declared_cubins(const DispatchPlan& plan) {
  std::string text = "extern \"C\" {\n";
  each_code(plan, [&](const DispatchVariant& variant, const GpuCode& code) {
    for (std::size_t i = 0; i < code.cubins.size(); ++i) {
      text += fmt::format("extern const char {}[];\n", cubin_symbol(variant, code, i));
    }
  });
  return text + "}\n";
}

std::string code_text(const DispatchVariant& variant, const GpuCode& code) {
  std::vector<std::string> cubins;
  for (std::size_t i = 0; i < code.cubins.size(); ++i) {
    cubins.push_back(cubin_symbol(variant, code, i));
  }
  return fmt::format("{{{}, {{{}}}, {}, &{}::run}}", quoted(code.arch), fmt::join(cubins, ", "),
                     quoted_list(code.kernels), code_name(variant, code));
}

std::string variants_text(const DispatchPlan& plan) {
  std::string rows;
  for (const DispatchVariant& variant : plan.variants) {
    std::vector<std::string> codes;
    for (const GpuCode& code : variant.codes) codes.push_back(code_text(variant, code));
    rows += fmt::format("      {{\"{}\", {{{}}}}},\n", variant.name, fmt::join(codes, ", "));
  }
  return rows;
}

std::string measured_text(const DispatchPlan& plan) {
  std::string rows;
  for (const DispatchDevice& device : plan.devices) {
    std::string shapes, best;
    for (const DispatchShape& shape : device.shapes) {
      const auto* const variant = plan.find(shape.order.front());
      if (!shape.lengths.empty()) {
        shapes += fmt::format("        {},  // {}\n", fmt::join(shape.lengths, ", "), shape.label);
      }
      best += fmt::format("{}, ", variant - plan.variants.data());
    }
    rows += fmt::format("      {{{}, {},\n       {{\n{}       }},\n       {{{}}},\n       {}}},\n",
                        quoted(device.processor), quoted(device.extensions), shapes, best,
                        device.rule.reach);
  }
  return rows;
}

std::string names_of_tensors(const Task& task) {
  std::vector<std::string> names;
  for (const TensorSpec& tensor : task.tensors) names.push_back(tensor.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

std::string gpu_header_text(const Task& task, const DispatchPlan& plan) {
  std::int64_t align = 1;
  for (const TensorSpec& tensor : task.tensors) align = std::max(align, tensor.align);
  const Signatures functions = signatures(task, plan);
  return fmt::format(
      R"(#ifndef {0}_DISPATCH_H
#define {0}_DISPATCH_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {{
#endif

/* {1}
   Pointers are into the memory of one GPU, whose context is current in this thread, or becomes so
   where none is. Tensors are dense, in row-major order, do not overlap, and begin at multiples of
   {2} bytes; lengths are at least 1. The kernels are launched on `stream`, a CUstream or
   cudaStream_t, and nothing waits for them. Any thread may call at any time; calls on several
   streams need a workspace each. A call may be captured into a graph.
   0, or a CUresult: 209 = nothing was measured on a GPU of this architecture, 1 = the launch plan
   is none at these lengths. */
{3};

/* Bytes that `workspace` has at this shape, from a multiple of 256 on; it may be null for 0. `any`
   is a pointer into the memory of the GPU that is meant. */
{4};

/* Name of the kernel that is called at this shape: {5}, the anchor, at shapes far from all measured
   ones; "" where a call would fail. */
{6};

#ifdef __cplusplus
}}
#endif

#endif
)",
      plan.symbol, in_comment(task.description), align, functions.call, functions.workspace,
      plan.anchor().name, functions.variant);
}

std::string gpu_dispatch_text(const Task& task, const DispatchPlan& plan) {
  const Signatures functions = signatures(task, plan);
  const std::string lengths = fmt::format("{}", fmt::join(task.axis_arguments, ", "));
  const std::string includes =
      fmt::format("#include \"{}.h\"\n\n#include \"choose_kernel.hpp\"\n", plan.symbol);
  // A C++ array needs at least one element.
  const std::string table = fmt::format("const std::size_t lengths_[] = {{{}}};",
                                        lengths.empty() ? std::string("1") : lengths);
  return fmt::format(
      R"(// Which kernel computes {0}, at which shape, on which GPU. Written from dispatch.json.
{11}
{1}
namespace {{

{2}
dispatch::Library& library() {{
  // Never destroyed: threads may call while the program ends.
  static auto& made = *new dispatch::Library(
      {3},
      {{
{4}      }},
      {{
{5}      }});
  return made;
}}

}}  // namespace

{6} {{
  {7}
  const void* const tensors_[] = {{{8}}};
  return library().call(lengths_, tensors_, workspace, stream);
}}

{9} {{
  {7}
  return library().workspace(lengths_, any);
}}

{10} {{
  {7}
  return library().name(lengths_, any);
}}
)",
      plan.symbol, declared_cubins(plan), plans_text(plan), task.axis_arguments.size(),
      variants_text(plan), measured_text(plan), functions.call, table, names_of_tensors(task),
      functions.workspace, functions.variant, includes);
}

std::string cubins_text(const DispatchPlan& plan) {
  std::string text = "/* Machine code of the kernels, as data. Written from dispatch.json. */\n";
  text += ".section .note.GNU-stack,\"\",@progbits\n.section .rodata\n";
  each_code(plan, [&](const DispatchVariant& variant, const GpuCode& code) {
    for (std::size_t i = 0; i < code.cubins.size(); ++i) {
      const std::string symbol = cubin_symbol(variant, code, i);
      text += fmt::format(".balign 64\n.global {0}\n.hidden {0}\n{0}:\n.incbin \"{1}.{2}.cubin\"\n",
                          symbol, code_stem(variant, code), i);
    }
  });
  return text;
}

std::string gpu_build_text(const DispatchPlan& plan) {
  return fmt::format(
      "# Name of the library that build.sh builds. Written from dispatch.json.\nlibrary={}\n",
      plan.symbol);
}

std::string gpu_readme_text(const Task& task, const DispatchPlan& plan) {
  return fmt::format(
      R"(# lib{0}

{1}

`./build.sh` builds `lib{0}.so` with g++ alone; [{0}.h]({0}.h) declares its functions. The library
holds machine code for the architectures below and opens the NVIDIA driver when it is first called. A
call launches the kernel that was best at the nearest measured shape (lengths compared as powers of
two). Where an axis of that shape is longer or shorter by more than the factor named below, or an axis
is shorter than in all measured shapes, it launches the anchor, {2}. `{0}_variant` tells the name.
Figures and tables stand in [dispatch.json](dispatch.json).

| kernel | from | compiled with |
|---|---|---|
)",
      plan.symbol, task.description, plan.anchor().name);
}

}  // namespace ke
