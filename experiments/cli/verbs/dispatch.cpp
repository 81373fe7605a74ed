#include <fmt/format.h>

#include "experiments/cli/verb.hpp"
#include "experiments/dispatch/make_dispatcher.hpp"
#include "experiments/dispatch/result_text.hpp"
#include "experiments/run/run_files.hpp"
#include "experiments/text/json.hpp"
#include "experiments/text/table.hpp"

namespace ke::verbs {
namespace {

Result<DispatchRequest> request_of(const Arguments& arguments) {
  DispatchRequest request;
  KE_TRY(request.run_files, find_run_files(arguments.positionals()));
  request.folder = arguments.text("out");
  request.symbol = arguments.text("name");
  request.tasks = arguments.text("tasks");
  request.shapes.given = arguments.text("shapes");
  KE_TRY(request.shapes.drawn, arguments.integer("draw"));
  KE_TRY(request.shapes.seed, arguments.integer("seed"));
  KE_TRY(request.kernels, arguments.integer("kernels"));
  KE_TRY(request.variants, arguments.integer("variants"));
  if (request.folder.empty()) return Error{Failure::usage, "dispatch: needs --out FOLDER"};
  return request;
}

Result<int> run_dispatch(const Arguments& arguments, Console& console) {
  KE_TRY(const DispatchRequest request, request_of(arguments));
  KE_TRY(const DispatchResult made, make_dispatcher(request, console));
  if (arguments.has("json")) {
    write_json(console.out, json_of(request.folder, made));
  } else {
    console.out << result_text(request.folder, made);
  }
  return exit_code::done;
}

}  // namespace

Verb dispatch() {
  return {
      .name = "dispatch",
      .positionals = "RUN ...",
      .least = 1,
      .most = 1000,
      .summary = "make a library of runs of one task that calls the best kernel for each shape",
      .details =
          "Kernels of the runs are timed at the task's bench and validation shapes, at those of\n"
          "--shapes and at drawn ones; the few that gain most are compared with the anchor. What "
          "the\n"
          "runs measured on this kind of device is not measured again. The anchor of a task that\n"
          "was made of a module is the champion at its default knobs.\n"
          "The folder then holds a C library with one function, the task's: it calls the kernel\n"
          "that was best at the nearest measured shape, if this processor can run it; or one\n"
          "kernel at all shapes, where that is as good at these and at shapes left out in turn.\n"
          "Where an axis is more than 4 times as long as that of the nearest measured shape, less\n"
          "than a quarter of it, or shorter than in all measured shapes, the library calls the\n"
          "anchor. Its figures over each opponent are those that runs verified for the kernels it\n"
          "calls, or measured now, at holdout shapes too, which decide nothing. The same\n"
          "command on another machine, with the same folder, adds that machine. What was measured\n"
          "is kept in the folder: an interrupted call goes on. Runs may be of several tasks with\n"
          "the same arguments; the first one's counts. Runs on a GPU (device: cuda, python, hip)\n"
          "make a library with machine code and a launcher, which needs the driver alone; those "
          "of\n"
          "OpenCL kernels one with sources, which it builds on the device where it is called.\n"
          "Libraries for AMD GPUs and for OpenCL devices other than PoCL's are experimental: they\n"
          "never met such a device. The header states alignment and threads. C++ libraries copy\n"
          "tensors that are not aligned; the others refuse them, but for OpenCL's NAME_on_host.",
      .options = {{"out", 'o', "FOLDER", "", "where the library is made"},
                  {"shapes", 's', "SHAPES", "",
                   "further shapes that decide: 'rows=64 cols=8, rows=1 cols=100'"},
                  {"draw", 'd', "N", "4", "shapes drawn to decide, far from the others",
                   Bounds{0, 100}},
                  {"seed", 0, "N", "1", "of the drawn shapes", Bounds{0, 1'000'000'000}},
                  {"kernels", 'k', "N", "12", "kernels of the runs that are tried",
                   Bounds{1, 1000}},
                  {"variants", 'v', "N", "3", "kernels beside anchor and champion that it may hold",
                   Bounds{1, 32}},
                  {"name", 'n', "NAME", "", "of the library and its function, if not the task's"},
                  {"tasks", 0, "FOLDER", "", "folder that holds tasks/<name>, if it has moved"}},
      .exit_codes = {exit_code::device},
      .example =
          "kernelevolve run configs/quickstart.yaml task=layernorm budget.evaluations=8 \\\n"
          "    verify.cells=0 device.verify_time=200ms -q -o runs/layernorm\n"
          "kernelevolve dispatch runs/layernorm --draw 2 -o layernorm",
      .run = &run_dispatch};
}

}  // namespace ke::verbs
