#include "experiments/dispatch/torch_package.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "core/text.hpp"
#include "experiments/dispatch/dispatch_plan.hpp"
#include "experiments/dispatch/library_folder.hpp"
#include "experiments/dispatch/library_text.hpp"
#include "experiments/dispatch/result_text.hpp"
#include "experiments/run/atomic_file.hpp"
#include "experiments/run/child_program.hpp"
#include "experiments/run/places.hpp"
#include "experiments/text/json.hpp"
#include "experiments/view/report/run_tables.hpp"

namespace ke {
namespace {

// Writes the page of a package of PyTorch operators.

/// A library, and the content of its operator.json.
struct PackagedLibrary {
  std::string folder;
  DispatchPlan plan;
  Json interface;
};

/// Text of a call, "layernorm(x, weight, bias)": inputs, then axes that no input tells.
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
    const std::string text =
        "Tensors in CPU memory. The kernels were built for the processor of this machine; ";
    return text + (plan.variants.back().origin == no_fallback
                       ? "on one that lacks\ntheir instructions a call ends the program.\n"
                       : "the one named\n`fallback` runs on any x86-64 processor.\n");
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

std::string derivatives_text(const Json& interface) {
  if (interface.at("reference_uses_torch").get<bool>()) {
    return "Derivatives of any kind: the task's reference, which is in PyTorch, then computes in "
           "the "
           "kernel's place.\n";
  }
  return "No derivatives: an input that requires a gradient is an error unless gradients are "
         "off.\n";
}

std::string holdout_text(const DispatchDevice& device, const std::string& against) {
  std::string text;
  for (const DispatchCheck& check : device.checks) {
    if (check.role != "holdout") continue;
    text += fmt::format("| {} | {} | {} | {} |\n", device.processor, check.label, check.variant,
                        figure_text(check.dispatcher));
  }
  for (const DispatchMean& mean : dispatch_means(device, against)) {
    if (mean.role != "holdout" || mean.shapes == 0) continue;
    text += fmt::format("| {} | {} | | {} |\n", device.processor, mean.name,
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
          threads_text(library.plan, interface) + derivatives_text(interface) +
          prepared_text(package, interface) + origin_text(interface) + kernels_table(library.plan);
  text += fmt::format(
      "\nSpeedups over {0}, at shapes that decided nothing, with 95 % intervals, of the library\n"
      "without PyTorch:\n\n| processor | shape | kernel | over {0} |\n|---|---|---|---|\n",
      against_text(library.plan));
  for (const DispatchDevice& device : library.plan.devices)
    text += holdout_text(device, library.plan.against);
  return text;
}

/// `README.md` of the package.
std::string torch_readme(const std::string& package,
                         const std::vector<PackagedLibrary>& libraries) {
  std::string text = fmt::format(
      R"(# {0}

PyTorch operators whose kernels were found by a search. Put the folder that holds this one on Python's path
and `import {0}`; PyTorch 2.4 or later is needed. Each operator is also `torch.ops.{0}.NAME`: under
another name the folder is another namespace. Code around the kernels is compiled with g++ where `{0}` is first
imported into a version of PyTorch for which no `operator-*.so` lies here. `python3 -m {0}` measures what a
call costs.

`torch.compile`, `torch.export` and CUDA graphs take an operator as it is; a program that loads an exported
model imports `{0}` first. Under `torch.autocast` floating inputs are cast to the operator's types. Any
strides and any alignment are accepted: inputs that are not dense, or do not begin where the kernels were
verified (multiples of the task's `align`, mostly 64 bytes, as PyTorch itself allocates), are copied. A wrong
type, device or shape is an error that names the tensor.
)",
      package);
  for (const PackagedLibrary& library : libraries) text += section(package, library);
  return text;
}

namespace fs = std::filesystem;

Result<Json> read_interface(const std::string& folder) {
  std::ifstream file(folder + "/interface.json");
  Json json = file ? parse_json(file) : Json();
  if (json.is_object()) return json;
  return Error{Failure::usage, folder +
                                   "/interface.json: cannot be read; make the library again "
                                   "with the same 'dispatch' command"};
}

Result<PackagedLibrary> read_library(const std::string& folder) {
  KE_TRY(auto plan, read_plan(folder));
  if (!plan) {
    return Error{Failure::usage,
                 fmt::format("{}: no library that 'dispatch' made; 'kernelevolve dispatch RUN ... "
                             "-o FOLDER' makes one",
                             folder)};
  }
  const LibraryKind kind = plan->kind();
  if (kind != LibraryKind::processor && kind != LibraryKind::cuda) {
    return Error{Failure::usage,
                 fmt::format("{}: a library for {}; operators of PyTorch are made of libraries for "
                             "processors and NVIDIA GPUs",
                             folder, to_string(kind))};
  }
  KE_TRY(Json interface, read_interface(folder));
  return PackagedLibrary{folder, std::move(*plan), std::move(interface)};
}

/// True if any kernel keeps variables between calls, which build.sh finds.
Result<bool> keep_state(const PackagedLibrary& library) {
  const std::string path = library.folder + "/objects/state.hpp";
  if (const auto text = content_of(path)) return text->find("= true;") != std::string::npos;
  return Error{Failure::usage, path +
                                   ": cannot be read; make the library again with the same "
                                   "'dispatch' command"};
}

/// Lengths of the axes at the shapes that were measured on the first device, each once.
Json measured_shapes(const DispatchPlan& plan) {
  Json shapes = Json::array();
  for (const DispatchShape& shape : plan.devices.front().shapes) {
    const Json one = {{"label", shape.label}, {"lengths", shape.lengths}};
    if (std::ranges::find(shapes, one) == shapes.end()) shapes.push_back(one);
  }
  return shapes;
}

/// Adds facts about the library itself to its interface.
Result<void> describe(PackagedLibrary& library) {
  const bool gpu = library.plan.kind() == LibraryKind::cuda;
  bool state = false;  // libraries hold no GPU kernels that keep state
  if (!gpu) {
    KE_TRY(state, keep_state(library));
  }
  const bool prepares = std::ranges::any_of(library.plan.variants, &DispatchVariant::prepares);
  library.interface["symbol"] = library.plan.symbol;
  library.interface["device"] = gpu ? "cuda" : "cpu";
  library.interface["prepares"] = prepares;
  library.interface["serial"] = prepares || state;
  library.interface["shapes"] = measured_shapes(library.plan);
  // build.sh compiles a C++ reference.
  if (library.interface.at("reference") == "reference.cpp") {
    library.interface["reference"] = "reference.so";
  }
  return {};
}

Result<void> write_operator(PackagedLibrary& library, const std::string& operators) {
  KE_TRY(const std::string built, build_library(library.folder, library.plan));
  KE_TRY_VOID(describe(library));
  const std::string folder = operators + "/" + library.plan.symbol;
  const std::string reference = library.interface.at("reference");
  KE_TRY_VOID(make_folder(folder));
  KE_TRY_VOID(copy_over(built, folder + "/lib" + library.plan.symbol + ".so"));
  KE_TRY_VOID(copy_over(library.folder + "/" + reference, folder + "/" + reference));
  return write_atomically(folder + "/operator.json", document_text(library.interface));
}

/// Name of the package: the folder's name.
Result<std::string> package_name(const std::string& folder) {
  fs::path path = fs::absolute(folder).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  const std::string name = path.filename().string();
  if (is_identifier(name)) return name;
  return Error{Failure::usage, fmt::format("--torch: '{}' is no name of a Python package: letters, "
                                           "digits and _, no digit first",
                                           name)};
}

Result<std::vector<PackagedLibrary>> read_libraries(const std::vector<std::string>& folders) {
  std::vector<PackagedLibrary> libraries;
  for (const std::string& folder : folders) {
    KE_TRY(PackagedLibrary library, read_library(folder));
    for (const PackagedLibrary& other : libraries) {
      if (other.plan.symbol != library.plan.symbol) continue;
      return Error{Failure::usage,
                   fmt::format("{} and {}: both make an operator '{}'; 'dispatch --name' gives "
                               "another name",
                               other.folder, folder, library.plan.symbol)};
    }
    libraries.push_back(std::move(library));
  }
  return libraries;
}

}  // namespace

Result<std::vector<TorchOperator>> write_torch_package(const std::vector<std::string>& folders,
                                                       const std::string& folder) {
  KE_TRY(const std::string name, package_name(folder));
  KE_TRY(auto libraries, read_libraries(folders));
  KE_TRY_VOID(claim_folder(folder, {"kernel_operator.py"}));
  const std::string operators = folder + "/operators";
  std::error_code code;
  fs::remove_all(operators, code);
  // Left by a model whose operators may be gone, and by an earlier version.
  for (const char* file :
       {"/model.py", "/model_forward.py", "/model_constants.pt", "/cuda_operator.py"}) {
    fs::remove(folder + file, code);
  }
  KE_TRY_VOID(copy_over(torch_folder(), folder));
  const std::string module_reference = "/kernelevolve_reference.py";
  KE_TRY_VOID(copy_over(references_folder() + module_reference, folder + module_reference));
  std::vector<TorchOperator> made;
  for (PackagedLibrary& library : libraries) {
    KE_TRY_VOID(write_operator(library, operators));
    made.push_back({name + "::" + library.plan.symbol, call_text(library),
                    library.interface.at("serial").get<bool>()});
  }
  KE_TRY_VOID(write_atomically(folder + "/README.md", torch_readme(name, libraries)));
  return made;
}

std::string measure_package(const std::string& folder, bool json) {
  const fs::path path = fs::absolute(folder).lexically_normal();
  std::vector<std::string> command = {"python3", "-B", path.string(), "--readme"};
  if (json) command.emplace_back("--json");
  const ProgramAnswer answer = run_program(command);
  if (answer.code == 0) return answer.output;
  return json ? "[]"
              : fmt::format("operators are not measured: python3 ended with {}\n", answer.code);
}

}  // namespace ke
