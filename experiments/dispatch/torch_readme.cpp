#include "experiments/dispatch/torch_readme.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "experiments/dispatch/result_text.hpp"
#include "experiments/view/report/run_tables.hpp"

namespace ke {
namespace {

std::string tensor_row(const Json& tensor) {
  std::string notes = tensor.at("output").get<bool>() ? "output" : "input";
  if (!tensor.at("changes").get<bool>()) notes += ", prepared once where a kernel does so";
  if (tensor.contains("range")) {
    notes += fmt::format(", values in [{}, {})", tensor.at("range")[0].get<std::string>(),
                         tensor.at("range")[1].get<std::string>());
  }
  return fmt::format("| `{}` | {} | [{}] | {} |\n", tensor.at("name").get<std::string>(),
                     tensor.at("dtype").get<std::string>(),
                     fmt::join(tensor.at("shape").get<std::vector<std::string>>(), ", "), notes);
}

std::string axes_text(const Json& interface) {
  std::vector<std::string> words;
  for (const Json& axis : interface.at("axes")) {
    words.push_back(fmt::format("`{}` from {} to {}", axis.at("name").get<std::string>(),
                                axis.at("low").get<std::int64_t>(),
                                axis.at("high").get<std::int64_t>()));
    const auto divisor = axis.at("multiple_of").get<std::int64_t>();
    if (divisor > 1) words.back() += fmt::format(" in steps of {}", divisor);
  }
  for (const Json& pair : interface.at("ordered")) {
    words.push_back(
        fmt::format("`{}` <= `{}`", pair[0].get<std::string>(), pair[1].get<std::string>()));
  }
  if (words.empty()) return "Its one shape is verified.\n";
  return fmt::format(
      "Verified: {}.\nOther shapes are computed by the task's reference, which is slow; a warning "
      "says "
      "so once.\n",
      fmt::join(words, ", "));
}

std::string device_text(const DispatchPlan& plan) {
  if (plan.kind() == LibraryKind::processor) {
    return "Tensors in CPU memory. The kernels were built for the processor of this machine; the "
           "one named\n`fallback` runs on any x86-64 processor.\n";
  }
  return "Tensors of one NVIDIA GPU. The kernel is launched on PyTorch's current stream, and "
         "nothing waits for it;\ncalls may be captured into a CUDA graph after one call outside "
         "of it. On a GPU of an architecture that was\nnot measured the task's reference computes; "
         "a warning says so once. Integer inputs are not checked.\n";
}

std::string threads_text(const DispatchPlan& plan, const Json& interface) {
  if (plan.kind() != LibraryKind::processor)
    return "Threads: several may call at once, on any streams.\n";
  std::string text =
      interface.at("serial").get<bool>()
          ? "Threads: its kernels keep state between calls, so calls of several threads take turns."
          : "Threads: several may call at once.";
  const auto threads = interface.at("threads").get<std::int64_t>();
  if (threads > 1) {
    return text + fmt::format(" A call uses up to {} threads: set OMP_NUM_THREADS.\n", threads);
  }
  return text + " A call runs in the caller's thread alone.\n";
}

std::string prepared_text(const std::string& package, const Json& interface) {
  if (!interface.at("prepares").get<bool>()) return {};
  return fmt::format(
      "Unchanging inputs are prepared at the first call, and again when they are other tensors, "
      "were written\nto, or the shape is another one. After writes that PyTorch does not count "
      "(`tensor.data`, NumPy), call\n`{}.forget_prepared()`.\n",
      package);
}

std::string holdout_text(const DispatchDevice& device) {
  std::string text;
  for (const DispatchCheck& check : device.checks) {
    if (check.role != "holdout") continue;
    text += fmt::format("| {} | {} | {} | {} |\n", device.processor, check.label, check.variant,
                        figure_text(check.dispatcher));
  }
  for (const DispatchMean& mean : dispatch_means(device)) {
    if (mean.role != "holdout" || mean.shapes == 0) continue;
    text += fmt::format("| {} | mean of {} | | {} |\n", device.processor, mean.shapes,
                        figure_text(mean.dispatcher));
  }
  return text;
}

std::string origin_text(const Json& interface) {
  std::string text = "Task: " + interface.at("task").get<std::string>();
  for (const char* key : {"source", "licence"}) {
    const std::string stated = interface.at(key);
    text += fmt::format("; {}: {}", key, stated.empty() ? "not stated" : stated);
  }
  return text + ".\n";
}

std::string section(const std::string& package, const PackagedLibrary& library) {
  const Json& interface = library.interface;
  std::string text =
      fmt::format("\n## {}\n\n{}\n\n    {}.{}\n\n| tensor | dtype | shape | |\n|---|---|---|---|\n",
                  library.plan.symbol, interface.at("description").get<std::string>(), package,
                  call_text(library));
  for (const Json& tensor : interface.at("tensors")) text += tensor_row(tensor);
  text += "\n" + axes_text(interface) + device_text(library.plan) +
          threads_text(library.plan, interface) + prepared_text(package, interface) +
          origin_text(interface);
  text += "\n| kernel | from | compiled with |\n|---|---|---|\n";
  for (const DispatchVariant& variant : library.plan.variants) {
    text += fmt::format("| {} | {} | `{}` |\n", variant.name, variant.origin,
                        fmt::join(variant.arguments, " "));
  }
  text +=
      "\nSpeedups over the task's anchor, at shapes that decided nothing, with 95 % intervals, of "
      "the library\nwithout PyTorch:\n\n| processor | shape | kernel | over the anchor |\n"
      "|---|---|---|---|\n";
  for (const DispatchDevice& device : library.plan.devices) text += holdout_text(device);
  return text;
}

}  // namespace

std::string call_text(const PackagedLibrary& library) {
  std::vector<std::string> names;
  for (const Json& tensor : library.interface.at("tensors")) {
    if (!tensor.at("output").get<bool>()) names.push_back(tensor.at("name"));
  }
  for (const Json& axis : library.interface.at("axes")) {
    if (axis.at("tensor").is_null()) names.push_back(axis.at("name"));
  }
  return fmt::format("{}({})", library.plan.symbol, fmt::join(names, ", "));
}

std::string torch_readme(const std::string& package,
                         const std::vector<PackagedLibrary>& libraries) {
  std::string text = fmt::format(
      "# {0}\n\nPyTorch operators whose kernels were found by a search. Put the folder that holds "
      "this one on Python's path\nand `import {0}`; PyTorch 2.4 or later is needed. Each operator "
      "is also `torch.ops.kernelevolve.NAME`,\nand `torch.compile` takes it as it is. It has no "
      "gradient: "
      "an input that requires one is an error\nunless gradients are off.\n\nAny strides and any "
      "alignment are accepted: inputs that are not "
      "dense, or do not begin where "
      "the kernels\nwere verified (multiples of the task's `align`, mostly 64 bytes, as PyTorch "
      "itself allocates), are copied.\nA wrong type, device or shape is an error that names the "
      "tensor.\n",
      package);
  for (const PackagedLibrary& library : libraries) text += section(package, library);
  return text;
}

}  // namespace ke
