#include "experiments/dispatch/gpu_library_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "experiments/dispatch/library_text.hpp"
#include "experiments/dispatch/tensor_text.hpp"

namespace ke {
namespace {

/// Declarations of a library's three functions.
struct ClSignatures {
  std::string call, on_host, variant;
};

ClSignatures cl_signatures(const Task& task, const DispatchPlan& plan) {
  const std::string queue = "struct _cl_command_queue* queue";
  std::vector<std::string> last = axis_parameters(task);
  last.push_back(queue);
  std::vector<std::string> buffers, pointers;
  for (const TensorSpec& tensor : task.tensors) {
    buffers.push_back("struct _cl_mem* " + tensor.name);
    pointers.push_back(tensor_parameter(tensor));
  }
  const std::string& symbol = plan.symbol;
  return {fmt::format("int {}({})", symbol, joined(buffers, last)),
          fmt::format("int {}_on_host({})", symbol, joined(pointers, last)),
          fmt::format("const char* {}_variant({})", symbol, joined({}, last))};
}

std::string source_symbol(const DispatchVariant& variant) { return "source_" + variant.name; }

std::string declared_sources(const DispatchPlan& plan) {
  std::string text = "extern \"C\" {\n";
  for (const DispatchVariant& variant : plan.variants) {
    text += fmt::format("extern const char {}[];\n", source_symbol(variant));
  }
  return text + "}\n";
}

std::string cl_plans_text(const DispatchPlan& plan) {
  std::string text;
  for (const DispatchVariant& variant : plan.variants) {
    text += fmt::format("namespace {} {{\n#include \"{}.hpp\"\n}}\n", variant.name,
                        code_stem(variant, variant.codes.front()));
  }
  return text;
}

std::string cl_variants_text(const DispatchPlan& plan) {
  std::string rows;
  for (const DispatchVariant& variant : plan.variants) {
    rows += fmt::format("      {{\"{0}\", {1}, {2}, {3}, &{0}::run}},\n", variant.name,
                        source_symbol(variant),
                        quoted(fmt::format("{}", fmt::join(variant.arguments, " "))),
                        quoted_list(variant.codes.front().kernels));
  }
  return rows;
}

std::string device_rows(const DispatchPlan& plan) {
  std::string rows;
  for (std::size_t i = 0; i < plan.devices.size(); ++i) {
    const DispatchDevice& device = plan.devices[i];
    rows += fmt::format("      {{{}, shapes_{}, orders_{}, {}, {}, {}}},\n",
                        quoted(device.processor), i, i, device.shapes.size(),
                        device.shapes.front().order.size(), device.rule.reach);
  }
  return rows;
}

std::string tensors_text(const Task& task) {
  std::vector<std::string> list;
  for (const TensorSpec& tensor : task.tensors) {
    list.push_back(fmt::format("{{{}, {}}}", tensor.align, tensor.output));
  }
  return fmt::format("{{{}}}", fmt::join(list, ", "));
}

/// "const_cast<float*>(x), y": pointers without const.
std::string untyped_pointers(const Task& task) {
  std::vector<std::string> list;
  for (const TensorSpec& tensor : task.tensors) {
    list.push_back(untyped_pointer(tensor));
  }
  return fmt::format("{}", fmt::join(list, ", "));
}

std::string opencl_header_text(const Task& task, const DispatchPlan& plan) {
  const ClSignatures functions = cl_signatures(task, plan);
  return fmt::format(
      R"(#ifndef {0}_DISPATCH_H
#define {0}_DISPATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {{
#endif

/* cl_mem and cl_command_queue of <CL/cl.h>, which need not be included. */
struct _cl_mem;
struct _cl_command_queue;

/* {1}
   Tensors are dense, in row-major order, and do not overlap; lengths are at least 1. Buffers are of
   the queue's context, and the queue is in order. The kernels are enqueued, and nothing waits for
   them; at a shape whose kernel was not called before on this device, its program is built first.
   The context of every queue that was used is kept until the process ends.
   Alignment: {2}.
   That holds for the origin of a sub-buffer and for memory of the host that a buffer uses. A call
   with another buffer answers -13, with a smaller one -61, and launches nothing.
   Threads: any thread may call at any time, also on one queue.
   0, or a status of OpenCL: -1 = no OpenCL here, -30 = the launch plan is none at these lengths,
   -36 = the queue is not in order, -11 and -54 = the device builds no kernel of the library, or its
   work-groups are too large for it. */
{3};

/* The same for memory of the host, at any address: copies it to buffers and back, and waits. Where
   `queue` is null, it makes one for the call, on a device that was measured, else on the first one.
   Any thread may call at any time. */
{4};

/* Name of the kernel that is called at this shape: {5} at shapes far from all measured
   ones; "" where a call would fail. `queue` may be null, as above. Any thread may call. */
{6};

#ifdef __cplusplus
}}
#endif

#endif
)",
      plan.symbol, in_comment(task.description), alignment_text(task), functions.call,
      functions.on_host, plan.anchor().name, functions.variant);
}

std::string opencl_dispatch_text(const Task& task, const DispatchPlan& plan) {
  const ClSignatures functions = cl_signatures(task, plan);
  return fmt::format(
      R"(// Which kernel computes {0}, at which shape, on which device. Written from dispatch.json.
{15}
{1}
namespace {{

{2}
{3}
{4}
dispatch::ClLibrary& library() {{
  // Never destroyed: threads may call while the program ends.
  static auto& made = *new dispatch::ClLibrary(
      {5}, {6}, &tensor_bytes,
      {{
{7}      }},
      {{
{8}      }});
  return made;
}}

}}  // namespace

{9} {{
  {10}
  const dispatch::Object buffers_[] = {{{11}}};
  return library().call(lengths_, buffers_, queue);
}}

{12} {{
  {10}
  void* const tensors_[] = {{{13}}};
  return library().call_on_host(lengths_, tensors_, queue);
}}

{14} {{
  {10}
  return library().name(lengths_, queue);
}}
)",
      plan.symbol, declared_sources(plan), cl_plans_text(plan), tensor_bytes_text(task),
      shape_tables(plan), task.axis_arguments.size(), tensors_text(task), cl_variants_text(plan),
      device_rows(plan), functions.call, lengths_text(task), tensor_names(task), functions.on_host,
      untyped_pointers(task), functions.variant,
      fmt::format("#include \"{}.h\"\n\n#include \"choose_program.hpp\"\n", plan.symbol));
}

}  // namespace

LaunchedSources opencl_sources(const Task& task, const DispatchPlan& plan) {
  std::vector<std::pair<std::string, std::string>> files;
  for (const DispatchVariant& variant : plan.variants) {
    files.emplace_back(source_symbol(variant), source_path(variant));
  }
  return {opencl_header_text(task, plan), opencl_dispatch_text(task, plan), data_text(files),
          build_text(plan, {"", "_on_host", "_variant"})};
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

}  // namespace ke
