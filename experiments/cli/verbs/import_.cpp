#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/cli/verbs.hpp"
#include "experiments/run/child_program.hpp"
#include "experiments/run/places.hpp"

namespace ke::verbs {
namespace {

constexpr std::string_view formats[] = {"kernelbench", "module", "flashinfer", "sol", "polybench"};

constexpr std::string_view languages[] = {"cpp", "cuda", "hip", "opencl"};

Result<int> run_import(const Arguments& arguments, Console& console) {
  const auto& words = arguments.positionals();
  if (std::ranges::find(formats, words[0]) == std::end(formats)) {
    return Error{Failure::usage,
                 fmt::format("import: '{}' is none of the formats that are read: {}", words[0],
                             fmt::join(formats, ", "))};
  }
  const std::string language = arguments.text("language");
  if (std::ranges::find(languages, language) == std::end(languages)) {
    return Error{Failure::usage, fmt::format("--language = '{}' is none of {}", language,
                                             fmt::join(languages, ", "))};
  }
  const std::string program = import_folder() + "/import_tasks.py";
  std::vector<std::string> command = {"python3", "-B", program, words[0], words[1]};
  command.insert(command.end(), {"--references", references_folder()});
  for (const char* option : {"out", "source", "licence", "language"}) {
    if (arguments.text(option).empty()) continue;
    command.insert(command.end(), {std::string("--") + option, arguments.text(option)});
  }
  if (arguments.has("json")) command.emplace_back("--json");
  const ProgramAnswer answer = run_program(command);
  if (answer.code == 127) {
    return Error{Failure::usage, "import: there is no python3 in PATH"};
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
      .summary = "make tasks of problems of other collections, or of a PyTorch module of your own",
      .details =
          "Each problem becomes a folder with task.yaml and a reference. FORMAT is module, a\n"
          "Python file of your own with class Model, get_inputs() and get_init_inputs(), whose\n"
          "parameters are inputs and whose integer constants are axes where other values work "
          "too;\n"
          "kernelbench, problems of KernelBench, which are such files; flashinfer, definitions of\n"
          "FlashInfer-Bench with their workloads; sol, folders of SOL-ExecBench with\n"
          "definition.json, workload.jsonl and reference.py; polybench, C files of PolyBench/C\n"
          "4.2.1, which also become naive kernels.\n"
          "Published sizes, or reduced ones where they are too large, are bench workloads; test,\n"
          "validation and holdout ones are made beside them. All but polybench's tasks have no\n"
          "kernels yet. import.tsv in the folder lists the problems, and why one cannot be a "
          "task.\n"
          "The files are run, by the python3 that is first in PATH: import only what you trust. "
          "It\n"
          "needs PyTorch 1.13 or later, for polybench pycparser and g++.\n"
          "Exit code 1 when nothing could be imported.",
      .options = {{"out", 'o', "FOLDER", "imported", "folder of the tasks, and of import.tsv"},
                  {"source", 0, "TEXT", "", "what the problems are from, if not their collection"},
                  {"licence", 0, "TEXT", "",
                   "their licence, if not the one that their copy states"},
                  {"language", 'l', "LANGUAGE", "cpp",
                   "of the kernels to come: cpp, cuda, hip, opencl"}},
      .exit_codes = {exit_code::negative},
      .example = "kernelevolve import module configs/modules/linear_gelu.py -o tasks",
      .run = &run_import};
}

}  // namespace ke::verbs
