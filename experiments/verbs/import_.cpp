#include <fmt/format.h>

#include <string>
#include <vector>

#include "experiments/cli/verbs.hpp"
#include "experiments/places.hpp"
#include "experiments/run/child_program.hpp"

namespace ke::verbs {
namespace {

Result<int> run_import(const Arguments& arguments, Console& console) {
  const auto& words = arguments.positionals();
  if (words[0] != "kernelbench") {
    return Error{
        Failure::usage,
        fmt::format("import: '{}' is not 'kernelbench', the format that is read", words[0])};
  }
  const std::string program = import_folder() + "/import_kernelbench.py";
  std::vector<std::string> command = {"python3", "-B", program, words[1]};
  command.insert(command.end(), {"--references", references_folder()});
  for (const char* option : {"out", "source", "licence"}) {
    command.insert(command.end(), {std::string("--") + option, arguments.text(option)});
  }
  if (arguments.has("json")) command.emplace_back("--json");
  const ProgramAnswer answer = run_program(command);
  if (answer.code == 127) {
    return Error{Failure::usage, "import: there is no python3 in PATH; one with PyTorch is needed"};
  }
  if (answer.code != exit_code::done && answer.code != exit_code::negative) {
    return Error{Failure::usage, fmt::format("import: {} ended with {}", program, answer.code)};
  }
  console.out << answer.output;
  return answer.code;
}

}  // namespace

Verb import_() {
  return {
      .name = "import",
      .positionals = "FORMAT FILE|FOLDER",
      .least = 2,
      .most = 2,
      .summary = "make tasks of PyTorch modules: problems of KernelBench, or modules of your own",
      .details =
          "FORMAT is kernelbench: a Python file with a class Model, constants, get_inputs() and\n"
          "get_init_inputs(). Each problem becomes a folder with task.yaml and reference.py, "
          "which\n"
          "is the problem and a few lines: its parameters are inputs, its integer constants axes\n"
          "where other values work too. Published sizes, or reduced ones where they are too large\n"
          "for a reference in double precision, are bench workloads; test, validation and holdout\n"
          "ones are made beside them. The task has no kernels yet. Problems that cannot be tasks\n"
          "are listed with the reason. The files are run, by the python3 that is first in PATH,\n"
          "which needs PyTorch 1.13 or later: import only what you trust.\n"
          "Exit code 1 when nothing could be imported.",
      .options = {{"out", 'o', "FOLDER", "imported", "folder of the tasks, and of import.tsv"},
                  {"source", 0, "TEXT", "KernelBench", "what the problems are from"},
                  {"licence", 0, "TEXT", "MIT", "licence of the problems"}},
      .exit_codes = {exit_code::negative},
      .example = "kernelevolve import kernelbench configs/modules/linear_gelu.py -o tasks",
      .run = &run_import};
}

}  // namespace ke::verbs
