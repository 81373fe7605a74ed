#include "experiments/dispatch/exported_functions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "experiments/dispatch/library_text.hpp"

namespace ke {
namespace {

using Words = std::vector<std::string>;

std::string joined(const Words& list) { return fmt::format("{}", fmt::join(list, ", ")); }

Words together(Words list, const Words& more) {
  list.insert(list.end(), more.begin(), more.end());
  return list;
}

/// Escapes text so that it cannot end a C comment.
std::string in_comment(std::string text) {
  std::ranges::replace(text, '\\', ' ');  // would join lines
  for (std::size_t at = text.find("*/"); at != text.npos; at = text.find("*/", at)) text[at] = ' ';
  return text;
}

using Tensors = std::vector<TensorSpec>;

/// A tensor's element type in C: the header must also compile as C, where types have no namespace.
std::string_view c_type(const TensorSpec& tensor) {
  std::string_view type = row_of(tensor.dtype).cpp;
  if (type.starts_with("std::")) type.remove_prefix(5);
  return type;
}

/// C parameters: "const float* x", or "const void* x" for memory of a GPU.
Words tensor_parameters(const Tensors& tensors, bool typed = true) {
  Words list;
  for (const TensorSpec& tensor : tensors) {
    list.push_back(fmt::format("{}{}* {}", tensor.output ? "" : "const ",
                               typed ? c_type(tensor) : "void", tensor.name));
  }
  return list;
}

Words axis_parameters(const Task& task) {
  Words list;
  for (const std::string& axis : task.axis_arguments) list.push_back("size_t " + axis);
  return list;
}

Words names_of(const Tensors& tensors) {
  Words names;
  for (const TensorSpec& tensor : tensors) names.push_back(tensor.name);
  return names;
}

std::int64_t largest_align(const Task& task) {
  std::int64_t align = 1;
  for (const TensorSpec& tensor : task.tensors) align = std::max(align, tensor.align);
  return align;
}

/// "all tensors begin at multiples of 64 bytes".
std::string alignment_text(const Task& task) {
  const std::int64_t align = largest_align(task);
  const auto same = [&](const TensorSpec& tensor) { return tensor.align == align; };
  if (std::ranges::all_of(task.tensors, same)) {
    return fmt::format("all tensors begin at multiples of {} bytes", align);
  }
  Words list;
  for (const TensorSpec& tensor : task.tensors) {
    list.push_back(fmt::format("{} begins at a multiple of {} bytes", tensor.name, tensor.align));
  }
  return joined(list);
}

/// A body that calls a method of the library with arrays of lengths and of tensors, if any.
std::string method_call(const Task& task, const char* method, const Tensors& tensors,
                        const Words& more = {}) {
  // An array needs an element.
  const std::string lengths = joined(task.axis_arguments);
  std::string text =
      fmt::format("  const std::size_t lengths_[] = {{{}}};\n", lengths.empty() ? "1" : lengths);
  Words arguments = {"lengths_"};
  if (!tensors.empty()) {
    text += fmt::format("  const void* const tensors_[] = {{{}}};\n", joined(names_of(tensors)));
    arguments.emplace_back("tensors_");
  }
  return text +
         fmt::format("  return library_().{}({});\n", method, joined(together(arguments, more)));
}

/// A body that hands over arrays as they are given.
std::string array_call(const char* method, const char* arguments) {
  return fmt::format("  return library_().{}({});\n", method, arguments);
}

constexpr const char* about_arrays =
    "The same calls with arrays: tensors and lengths in the order of the arguments above.";
constexpr const char* array_parameters = "void* const* tensors, const size_t* lengths";

std::string about_variant(const DispatchPlan& plan, std::string_view more) {
  return fmt::format(
      "Name of the kernel that is called at this shape: {} at shapes far from all measured\n   "
      "ones{} Any thread may call.",
      plan.anchor().name, more);
}

/// The contract under which the kernels were measured.
std::string contract_text(const Task& task) {
  std::string text = fmt::format(
      "   Tensors are dense, in row-major order, and do not overlap.\n"
      "   Alignment: {}, as when the kernels were\n   measured. Tensors elsewhere are copied to "
      "such memory and back, which takes time and as much memory\n   again; without that memory "
      "the program ends. malloc and NumPy give 16; aligned_alloc({}, ..) gives\n   enough.\n"
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

std::vector<ExportedFunction> processor_functions(const Task& task, const DispatchPlan& plan) {
  const Tensors prepared = unchanging_inputs(task);
  std::vector<ExportedFunction> list;
  list.push_back({in_comment(task.description) + "\n" + contract_text(task), "void", "",
                  kernel_parameters(task, task.tensors), method_call(task, "call", task.tensors)});
  if (!prepared.empty()) {
    list.push_back(
        {fmt::format("To be called before {}, in the same thread, and again whenever these inputs "
                     "or the\n   shape are others than last time. Threads that need different "
                     "ones take turns over both\n   calls.",
                     plan.symbol),
         "void", "_prepare", kernel_parameters(task, prepared),
         method_call(task, "prepare", prepared)});
  }
  list.push_back({about_variant(plan, "."), "const char*", "_variant",
                  joined(axis_parameters(task)), method_call(task, "name", {})});
  list.push_back(
      {about_arrays, "void", "_call", array_parameters, array_call("call", "lengths, tensors")});
  if (!prepared.empty()) {
    list.push_back(
        {"", "void", "_call_prepare", array_parameters, array_call("prepare", "lengths, tensors")});
  }
  return list;
}

std::vector<ExportedFunction> gpu_functions(const Task& task, const DispatchPlan& plan) {
  const Words axes = axis_parameters(task);
  const bool hip = plan.kind() == LibraryKind::hip;
  const std::string any = joined(together({"const void* any"}, axes));
  const std::string about = fmt::format(
      R"({}
   Pointers are into the memory of one {}.
   Tensors are dense, in row-major order, and do not overlap; lengths are at least 1.
   Alignment: {}.
   `workspace` begins at a multiple of 256. A call with another pointer answers 1 and launches nothing.
   Threads: any thread may call at any time. The kernels are launched on `stream`, {},
   and nothing waits for them; calls on several streams need a workspace each. A call may be captured
   into a graph.
   0, or a {}: 209 = the library has no kernels for a GPU of this architecture, 1 = a
   pointer is not aligned, or the launch plan is none at these lengths.)",
      in_comment(task.description),
      hip ? "GPU, this thread's current device"
          : "GPU, whose context is current in this thread, or becomes so\n   where none is",
      alignment_text(task), hip ? "a hipStream_t" : "a CUstream or cudaStream_t",
      hip ? "hipError_t" : "CUresult");
  const Words all = together(together(tensor_parameters(task.tensors, false), axes),
                             {"void* workspace", "void* stream"});
  return {
      {about, "int", "", joined(all),
       method_call(task, "call", task.tensors, {"workspace", "stream"})},
      {"Bytes that `workspace` has at this shape; it may be null for 0. `any` is a pointer into "
       "the memory\n   of the GPU that is meant. Any thread may call.",
       "size_t", "_workspace", any, method_call(task, "workspace", {}, {"any"})},
      {about_variant(plan, "; \"\" where a call would fail."), "const char*", "_variant", any,
       method_call(task, "name", {}, {"any"})},
      {about_arrays, "int", "_call",
       fmt::format("{}, void* workspace, void* stream", array_parameters),
       array_call("call", "lengths, tensors, workspace, stream")},
      {"", "size_t", "_call_workspace", "const void* any, const size_t* lengths",
       array_call("workspace", "lengths, any")}};
}

std::vector<ExportedFunction> opencl_functions(const Task& task, const DispatchPlan& plan) {
  const Words last = together(axis_parameters(task), {"struct _cl_command_queue* queue"});
  Words buffers;
  for (const TensorSpec& tensor : task.tensors) buffers.push_back("struct _cl_mem* " + tensor.name);
  const std::string about = fmt::format(
      R"({}
   Tensors are dense, in row-major order, and do not overlap; lengths are at least 1. Buffers are of
   the queue's context, and the queue is in order. The kernels are enqueued, and nothing waits for
   them; at a shape whose kernel was not called before on this device, its program is built first.
   The context of every queue that was used is kept until the process ends.
   Alignment: {}.
   That holds for the origin of a sub-buffer and for memory of the host that a buffer uses. A call
   with another buffer answers -13, with a smaller one -61, and launches nothing.
   Threads: any thread may call at any time, also on one queue.
   0, or a status of OpenCL: -1 = no OpenCL here, -30 = the launch plan is none at these lengths,
   -36 = the queue is not in order, -11 and -54 = the device builds no kernel of the library, or its
   work-groups are too large for it.)",
      in_comment(task.description), alignment_text(task));
  return {
      {about, "int", "", joined(together(buffers, last)),
       method_call(task, "call", task.tensors, {"queue"})},
      {"The same for memory of the host, at any address: copies it to buffers and back, and waits. "
       "Where\n   `queue` is null, it makes one for the call, on a device that was measured, else "
       "on the first one.\n   Any thread may call at any time.",
       "int", "_on_host", joined(together(tensor_parameters(task.tensors), last)),
       method_call(task, "call_on_host", task.tensors, {"queue"})},
      {about_variant(plan, "; \"\" where a call would fail. `queue` may be null, as above."),
       "const char*", "_variant", joined(last), method_call(task, "name", {}, {"queue"})}};
}

}  // namespace

std::vector<ExportedFunction> exported_functions(const Task& task, const DispatchPlan& plan) {
  switch (plan.kind()) {
    case LibraryKind::processor: return processor_functions(task, plan);
    case LibraryKind::opencl: return opencl_functions(task, plan);
    default: return gpu_functions(task, plan);
  }
}

bool may_be_prepared(const TensorSpec& tensor) { return !tensor.output && !tensor.changes; }

std::vector<TensorSpec> unchanging_inputs(const Task& task) {
  Tensors list;
  std::ranges::copy_if(task.tensors, std::back_inserter(list), may_be_prepared);
  return list;
}

std::string kernel_parameters(const Task& task, const std::vector<TensorSpec>& tensors) {
  return joined(together(tensor_parameters(tensors), axis_parameters(task)));
}

std::string kernel_arguments(const Task& task, const std::vector<TensorSpec>& tensors) {
  return joined(together(names_of(tensors), task.axis_arguments));
}

std::string header_text(const Task& task, const DispatchPlan& plan) {
  std::string text = fmt::format(
      "#ifndef {0}_DISPATCH_H\n#define {0}_DISPATCH_H\n\n#include <stdbool.h>\n"
      "#include <stddef.h>\n#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n",
      plan.symbol);
  if (plan.kind() == LibraryKind::opencl) {
    text +=
        "\n/* cl_mem and cl_command_queue of <CL/cl.h>, which need not be included. */\n"
        "struct _cl_mem;\nstruct _cl_command_queue;\n";
  }
  for (const ExportedFunction& one : exported_functions(task, plan)) {
    if (!one.about.empty()) text += fmt::format("\n/* {} */\n", one.about);
    text += one.declaration(plan) + ";\n";
  }
  return text + "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
}

}  // namespace ke
