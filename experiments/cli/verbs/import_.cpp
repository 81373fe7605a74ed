#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "core/dtype_table.hpp"
#include "core/signature.hpp"
#include "experiments/cli/verb.hpp"
#include "experiments/run/child_program.hpp"
#include "experiments/run/places.hpp"

namespace ke::verbs {
namespace {

constexpr std::string_view formats[] = {"kernelbench", "module", "flashinfer", "sol", "polybench"};

constexpr std::string_view languages[] = {"cpp", "cuda", "hip", "opencl"};

// Such as cpp=float32,int32: the element types that kernels of each language take.
std::vector<std::string> types_by_language() {
  std::vector<std::string> made;
  for (const std::string_view language : languages) {
    std::vector<std::string_view> names;
    std::ranges::copy_if(dtype_names, std::back_inserter(names),
                         [&](std::string_view name) { return !c_type(language, name).empty(); });
    made.push_back(fmt::format("{}={}", language, fmt::join(names, ",")));
  }
  return made;
}

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
  std::vector<std::string> command = {
      words[0], words[1], "--references", references_folder(), "--program", program_to_start()};
  for (const char* option : {"out", "source", "licence", "language", "mode", "dtype", "math",
                             "memory", "seconds", "trace"}) {
    if (arguments.text(option).empty()) continue;
    command.insert(command.end(), {std::string("--") + option, arguments.text(option)});
  }
  for (const std::string& types : types_by_language()) {
    command.insert(command.end(), {"--types", types});
  }
  if (arguments.has("json")) command.emplace_back("--json");
  KE_TRY(const ProgramAnswer answer, run_script("import", import_folder() + "/import_tasks.py",
                                                command, {exit_code::done, exit_code::negative}));
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
          "parameters and buffers are inputs, and whose integer constants, or else the sizes of\n"
          "its inputs, are axes where other values work too, in inference mode; kernelbench,\n"
          "problems of KernelBench, which are such files, in training mode as they are\n"
          "constructed; flashinfer, definitions of FlashInfer-Bench with their workloads; sol,\n"
          "folders of SOL-ExecBench with definition.json, workload.jsonl and reference.py;\n"
          "polybench, C files of PolyBench/C 4.2.1, which also become naive kernels.\n"
          "Published sizes, or reduced ones where they are too large for --memory and --seconds,\n"
          "are bench workloads; test, validation and holdout ones are made beside them. All but\n"
          "polybench's tasks have no kernels yet. Each task is checked as by 'check'. import.tsv\n"
          "in the folder lists the problems, why one cannot be a task, and why one has no axes.\n"
          "The files are run, by the python3 that is first in PATH: import only what you trust.\n"
          "It needs PyTorch 1.13 or later, for polybench pycparser and g++.\n"
          "Exit code 1 when nothing could be imported.",
      .options =
          {{"out", 'o', "FOLDER", "imported", "folder of the tasks, and of import.tsv"},
           {"source", 0, "TEXT", "", "what the problems are from, if not their collection"},
           {"licence", 0, "TEXT", "", "their licence, if not the one that their copy states"},
           {"language", 'l', "LANGUAGE", "cpp", "of the kernels to come: cpp, cuda, hip, opencl"},
           {"mode",
            0,
            "MODE",
            "default",
            "of modules: inference calls eval(), train takes them as constructed; default is "
            "inference for format module, train for kernelbench",
            {},
            {"default", "inference", "train"}},
           {"memory", 0, "GIB", "",
            "of the GPU that kernels are for, whose bench shapes are as published as far as they "
            "fit; default: of this machine's GPU for CUDA, else shapes that a processor computes"},
           {"trace", 0, "FILE", "",
            "CSV of shapes that a module is called at: a column for each axis, and count; they "
            "become the bench workloads, weighed by their total time"},
           {"seconds", 0, "SECONDS", "",
            "longest call of the reference at a bench shape, 2 if not stated"},
           {"dtype",
            0,
            "TYPE",
            "own",
            "to which modules and their inputs are cast; own keeps the types that they have",
            {},
            {"own", "float32", "bfloat16", "float16"}},
           {"math",
            0,
            "MATH",
            "float32",
            "in which products of float32 may be taken, by kernels and by PyTorch as opponent; "
            "tf32 for CUDA alone: the tolerance is wide enough for factors of 10 bits",
            {},
            {"float32", "tf32"}}},
      .exit_codes = {exit_code::negative},
      .example = "kernelevolve import module configs/modules/linear_gelu.py -o tasks",
      .run = &run_import};
}

}  // namespace ke::verbs
