#include "experiments/dispatch/torch_package.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/text.hpp"
#include "experiments/dispatch/library_folder.hpp"
#include "experiments/dispatch/torch_readme.hpp"
#include "experiments/run/atomic_file.hpp"
#include "experiments/run/child_program.hpp"
#include "experiments/run/places.hpp"

namespace ke {
namespace {

namespace fs = std::filesystem;

Result<void> make_folder(const std::string& folder) {
  std::error_code code;
  fs::create_directories(folder, code);
  if (!code) return {};
  return Error{Failure::io, fmt::format("{}: cannot be created: {}", folder, code.message())};
}

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
  std::ifstream file(path);
  if (!file) {
    return Error{Failure::usage, path +
                                     ": cannot be read; make the library again with the same "
                                     "'dispatch' command"};
  }
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return text.find("= true;") != std::string::npos;
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
  return write_atomically(folder + "/operator.json",
                          json_text(library.interface, JsonForm::lines) + "\n");
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
  for (const char* file : {"/model.py", "/model_forward.py", "/model_constants.pt"}) {
    fs::remove(folder + file, code);  // left by a model whose operators may be gone
  }
  KE_TRY_VOID(copy_over(torch_folder(), folder));
  const std::string module_reference = "/kernelevolve_reference.py";
  KE_TRY_VOID(copy_over(references_folder() + module_reference, folder + module_reference));
  std::vector<TorchOperator> made;
  for (PackagedLibrary& library : libraries) {
    KE_TRY_VOID(write_operator(library, operators));
    made.push_back(
        {library.plan.symbol, call_text(library), library.interface.at("serial").get<bool>()});
  }
  KE_TRY_VOID(write_atomically(folder + "/README.md", torch_readme(name, libraries)));
  return made;
}

}  // namespace ke
