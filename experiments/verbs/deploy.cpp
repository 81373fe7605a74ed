#include <fmt/format.h>

#include "experiments/cli/json.hpp"
#include "experiments/cli/verbs.hpp"
#include "experiments/dispatch/torch_package.hpp"
#include "experiments/report/json_number.hpp"

namespace ke::verbs {
namespace {

Json json_of(const TorchOperator& one) {
  return {{"name", "kernelevolve::" + one.symbol}, {"call", one.call}, {"serial", one.serial}};
}

Result<int> run_deploy(const Arguments& arguments, Console& console) {
  const std::string folder = arguments.text("torch");
  if (folder.empty()) return Error{Failure::usage, "deploy: needs --torch FOLDER"};
  KE_TRY(const auto made, write_torch_package(arguments.positionals(), folder));
  if (arguments.has("json")) {
    write_json(console.out,
               {{"package", folder},
                {"operators", column(made, [](const auto& one) { return json_of(one); })}});
    return exit_code::done;
  }
  for (const TorchOperator& one : made) {
    console.out << fmt::format("kernelevolve::{}: {}{}\n", one.symbol, one.call,
                               one.serial ? ", one call at a time" : "");
  }
  console.out << folder << "\n";
  return exit_code::done;
}

}  // namespace

Verb deploy() {
  return {
      .name = "deploy",
      .positionals = "LIBRARY ...",
      .least = 1,
      .most = 1000,
      .summary = "make a Python package of libraries: one PyTorch operator for each",
      .details =
          "LIBRARY is a folder that 'dispatch' made. The package holds, for each, the compiled\n"
          "library, the task's reference, and an operator kernelevolve::NAME that torch.compile\n"
          "takes as it is. Parameters of tasks made of modules are inputs of the operator. At\n"
          "shapes outside of those at which kernels are verified the reference computes. The\n"
          "package needs PyTorch 2.4 or later where it is imported, and nothing here; its "
          "README.md\n"
          "says how to call it. Libraries are built anew, with g++ and binutils.",
      .options = {{"torch", 't', "FOLDER", "",
                   "where the package is made; the folder's name is the package's"}},
      .exit_codes = {exit_code::device},
      .example = "kernelevolve deploy layernorm --torch fast_ops",
      .run = &run_deploy};
}

}  // namespace ke::verbs
