#include "experiments/dispatch/gpu_library_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "experiments/dispatch/library_text.hpp"
#include "experiments/dispatch/tensor_text.hpp"

namespace ke {
namespace {

/// Words of a vendor's runtime.
struct Vendor {
  const char* context;  ///< whose GPU a call is for
  const char* stream;   ///< C types of a stream
  const char* status;   ///< type of what the functions answer
  const char* driver;   ///< the library that is opened
};

Vendor vendor_of(const DispatchPlan& plan) {
  if (plan.kind() == LibraryKind::hip) {
    return {"GPU, this thread's current device", "a hipStream_t", "hipError_t", "HIP runtime"};
  }
  return {"GPU, whose context is current in this thread, or becomes so\n   where none is",
          "a CUstream or cudaStream_t", "CUresult", "NVIDIA driver"};
}

/// Parameters such as "const void* x, void* y": device memory is untyped here.
std::vector<std::string> tensor_parameters(const Task& task) {
  std::vector<std::string> list;
  for (const TensorSpec& tensor : task.tensors) {
    list.push_back(fmt::format("{}void* {}", tensor.output ? "" : "const ", tensor.name));
  }
  return list;
}

/// Declarations of three functions of a library. `any` points into the memory of the GPU in
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

template <typename Visit>
void for_each_code(const DispatchPlan& plan, Visit visit) {
  for (const DispatchVariant& variant : plan.variants) {
    for (const GpuCode& code : variant.codes) visit(variant, code);
  }
}

std::string plans_text(const DispatchPlan& plan) {
  std::string text;
  for_each_code(plan, [&](const DispatchVariant& variant, const GpuCode& code) {
    text += fmt::format("namespace {} {{\n#include \"{}.hpp\"\n}}\n", code_name(variant, code),
                        code_stem(variant, code));
  });
  return text;
}

std::string declared_cubins(const DispatchPlan& plan) {
  std::string text = "extern \"C\" {\n";
  for_each_code(plan, [&](const DispatchVariant& variant, const GpuCode& code) {
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

std::string aligns_text(const Task& task) {
  std::vector<std::int64_t> aligns;
  for (const TensorSpec& tensor : task.tensors) aligns.push_back(tensor.align);
  return fmt::format("{{{}}}", fmt::join(aligns, ", "));
}

std::string gpu_header_text(const Task& task, const DispatchPlan& plan) {
  const Signatures functions = signatures(task, plan);
  const Vendor vendor = vendor_of(plan);
  return fmt::format(
      R"(#ifndef {0}_DISPATCH_H
#define {0}_DISPATCH_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {{
#endif

/* {1}
   Pointers are into the memory of one {7}.
   Tensors are dense, in row-major order, and do not overlap; lengths are at least 1.
   Alignment: {2}.
   `workspace` begins at a multiple of 256. A call with another pointer answers 1 and launches nothing.
   Threads: any thread may call at any time. The kernels are launched on `stream`, {8},
   and nothing waits for them; calls on several streams need a workspace each. A call may be captured
   into a graph.
   0, or a {9}: 209 = the library has no kernels for a GPU of this architecture, 1 = a
   pointer is not aligned, or the launch plan is none at these lengths. */
{3};

/* Bytes that `workspace` has at this shape; it may be null for 0. `any` is a pointer into the memory
   of the GPU that is meant. Any thread may call. */
{4};

/* Name of the kernel that is called at this shape: {5} at shapes far from all measured
   ones; "" where a call would fail. Any thread may call. */
{6};

/* The same calls with arrays: tensors and lengths in the order of the arguments above. */
int {0}_call(void* const* tensors, const size_t* lengths, void* workspace, void* stream);
size_t {0}_call_workspace(const void* any, const size_t* lengths);

#ifdef __cplusplus
}}
#endif

#endif
)",
      plan.symbol, in_comment(task.description), alignment_text(task), functions.call,
      functions.workspace, plan.anchor().name, functions.variant, vendor.context, vendor.stream,
      vendor.status);
}

std::string gpu_dispatch_text(const Task& task, const DispatchPlan& plan) {
  const Signatures functions = signatures(task, plan);
  const std::string includes =
      fmt::format("#include \"{}.h\"\n\n{}#include \"choose_kernel.hpp\"\n", plan.symbol,
                  plan.kind() == LibraryKind::hip ? "#define DISPATCH_HIP\n" : "");
  return fmt::format(
      R"(// Which kernel computes {0}, at which shape, on which GPU. Written from dispatch.json.
{11}
{1}
namespace {{

{2}
dispatch::Library& library() {{
  // Never destroyed: threads may call while the program ends.
  static auto& made = *new dispatch::Library(
      {3}, {12},
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

int {0}_call(void* const* tensors, const size_t* lengths, void* workspace, void* stream) {{
  return library().call(lengths, tensors, workspace, stream);
}}

size_t {0}_call_workspace(const void* any, const size_t* lengths) {{
  return library().workspace(lengths, any);
}}
)",
      plan.symbol, declared_cubins(plan), plans_text(plan), task.axis_arguments.size(),
      variants_text(plan), measured_text(plan), functions.call, lengths_text(task),
      tensor_names(task), functions.workspace, functions.variant, includes, aligns_text(task));
}

}  // namespace

LaunchedSources gpu_sources(const Task& task, const DispatchPlan& plan) {
  std::vector<std::pair<std::string, std::string>> files;
  for_each_code(plan, [&](const DispatchVariant& variant, const GpuCode& code) {
    for (std::size_t i = 0; i < code.cubins.size(); ++i) {
      files.emplace_back(cubin_symbol(variant, code, i), image_path(variant, code, i));
    }
  });
  return {gpu_header_text(task, plan), gpu_dispatch_text(task, plan), data_text(files),
          build_text(plan, {"", "_workspace", "_variant", "_call", "_call_workspace"})};
}

std::string gpu_readme_text(const Task& task, const DispatchPlan& plan) {
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
      plan.symbol, task.description, plan.anchor().name, vendor_of(plan).driver,
      plan.kind() == LibraryKind::hip
          ? "\nExperimental: libraries for AMD GPUs were tested with stand-ins for the HIP runtime "
            "alone."
          : "");
}

}  // namespace ke
