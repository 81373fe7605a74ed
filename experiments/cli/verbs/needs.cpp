#include <string>
#include <vector>

#include "experiments/cli/verb.hpp"
#include "experiments/run/child_program.hpp"
#include "experiments/run/places.hpp"

namespace ke::verbs {
namespace {

Result<int> run_needs(const Arguments& arguments, Console& console) {
  KE_TRY(const std::int64_t top, arguments.integer("top"));
  KE_TRY(const std::int64_t threads, arguments.integer("threads"));
  std::vector<std::string> words = {"needs", arguments.positionals().front()};
  words.insert(words.end(), {"--out", arguments.text("out"), "--device", arguments.text("device"),
                             "--top", std::to_string(top), "--threads", std::to_string(threads),
                             "--references", references_folder(), "--program", program_to_start()});
  if (arguments.has("json")) words.emplace_back("--json");
  // After exit_code::usage the script has printed the reason.
  KE_TRY(const ProgramAnswer answer, run_script("needs", needs_folder() + "/whole_model.py", words,
                                                {exit_code::done, exit_code::usage}));
  if (answer.code == exit_code::done) console.out << answer.output;
  return answer.code;
}

}  // namespace

Verb needs() {
  return {
      .name = "needs",
      .positionals = "MODEL.py",
      .least = 1,
      .most = 1,
      .summary = "say where a whole PyTorch model's time goes, and make tasks of what could gain",
      .details =
          "MODEL.py has class Model, get_inputs() and get_init_inputs(), as 'import module'\n"
          "takes it. The model is taken in inference mode, by eval(), and must not change with\n"
          "its calls. Its graph is taken apart into groups of neighbouring operations that one\n"
          "kernel could compute; equal groups are one need. Each is timed on the values that\n"
          "flow through it. Its floor is the time to move its inputs and outputs once, or to do\n"
          "its arithmetic, at the rates that a copy and a matrix product reach on this device.\n"
          "Needs are ranked by the time that could be saved. FOLDER gets needs.json, a module\n"
          "and a task for each of the first, and a copy of the model. Parameters and buffers\n"
          "are inputs of a task that never change. The file is run, by the python3 that is\n"
          "first in PATH, with PyTorch 2.5 or later.",
      .options = {{"out", 'o', "FOLDER", "needs", "folder that is written"},
                  {"device", 0, "DEVICE", "cpu", "where the model runs", {}, {"cpu", "cuda"}},
                  {"top", 0, "N", "10", "needs of which tasks are made", Bounds{1, 1000}},
                  {"threads", 0, "N", "1",
                   "threads of PyTorch on the processor; kernels of tasks have one",
                   Bounds{1, 1024}}},
      .example = "kernelevolve needs configs/modules/gated_norm.py -o model_needs",
      .run = &run_needs};
}

}  // namespace ke::verbs
