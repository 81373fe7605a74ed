#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "experiments/cli/verb.hpp"
#include "experiments/dispatch/torch_package.hpp"
#include "experiments/run/child_program.hpp"
#include "experiments/run/places.hpp"
#include "experiments/text/json.hpp"

namespace ke::verbs {
namespace {

Json json_of(const TorchOperator& one) {
  return {{"name", one.name}, {"call", one.call}, {"serial", one.serial}};
}

/// Puts the operators into the model of a folder from `needs`; returns its measurements.
Result<std::string> deploy_model(const Arguments& arguments) {
  KE_TRY(const std::int64_t threads, arguments.integer("threads"));
  std::vector<std::string> words = {"deploy", arguments.text("torch"), arguments.text("model")};
  words.insert(words.end(), {"--device", arguments.text("device"), "--threads",
                             std::to_string(threads), "--references", references_folder()});
  if (arguments.has("json")) words.emplace_back("--json");
  KE_TRY(ProgramAnswer answer,
         run_script("deploy", needs_folder() + "/whole_model.py", words, {exit_code::done}));
  return std::move(answer.output);
}

Result<int> run_deploy(const Arguments& arguments, Console& console) {
  const std::string folder = arguments.text("torch");
  if (folder.empty()) return Error{Failure::usage, "deploy: needs --torch FOLDER"};
  KE_TRY(const auto made, write_torch_package(arguments.positionals(), folder));
  const std::string overhead = measure_package(folder, arguments.has("json"));
  std::string measured;
  if (!arguments.text("model").empty()) {
    KE_TRY(measured, deploy_model(arguments));
  }
  if (arguments.has("json")) {
    Json json = {{"package", folder},
                 {"operators", column(made, [](const auto& one) { return json_of(one); })},
                 {"calls", Json::parse(overhead)}};
    if (!measured.empty()) json["model"] = Json::parse(measured);
    write_json(console.out, json);
    return exit_code::done;
  }
  for (const TorchOperator& one : made) {
    console.out << fmt::format("{}: {}{}\n", one.name, one.call,
                               one.serial ? ", one call at a time" : "");
  }
  console.out << folder << "\n" << overhead << measured;
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
          "LIBRARY is a folder that 'dispatch' made of kernels for processors or NVIDIA GPUs;\n"
          "others are refused. The package holds, for each, the compiled library, the task's\n"
          "reference, and an operator torch.ops.PACKAGE.NAME that torch.compile takes as it is.\n"
          "Parameters of tasks made of modules are inputs of the operator. At shapes\n"
          "outside of those at which kernels are verified the reference computes, and so it does\n"
          "where a derivative is needed and it is in PyTorch. The package needs PyTorch 2.4 or\n"
          "later where it is imported, and nothing here; its README.md says how to call it.\n"
          "Libraries are built anew, with g++ and binutils. What an operator does around its\n"
          "kernel is compiled, and measured, for the PyTorch of the python3 that is first in\n"
          "PATH; for another PyTorch the package compiles it where it is first imported.\n"
          "With --model, operators also take the place of what they compute in the model of a "
          "folder\n"
          "that 'needs' made: load_model() of the package gives it. Each is tried alone in turns "
          "with\n"
          "the original, and left out where the model is no faster or its outputs differ; the "
          "whole\n"
          "is measured beside the original, eager and compiled, by the python3 that is first in "
          "PATH.",
      .options =
          {{"torch", 't', "FOLDER", "",
            "where the package is made; the folder's name is the package's"},
           {"model", 'm', "NEEDS", "", "folder that 'needs' made of a model"},
           {"device", 0, "DEVICE", "cpu", "where the model is measured", {}, {"cpu", "cuda"}},
           {"threads", 0, "N", "1", "threads of PyTorch on the processor there", Bounds{1, 1024}}},
      .exit_codes = {exit_code::device},
      .example = "kernelevolve deploy layernorm --torch fast_ops",
      .run = &run_deploy};
}

}  // namespace ke::verbs
