#include "experiments/cli/verb.hpp"
#include "experiments/view/report/run_report.hpp"

namespace ke::verbs {
namespace {

Result<int> run_status(const Arguments& arguments, Console& console) {
  KE_TRY_VOID(print_status(arguments.positionals(), arguments.has("json"), console));
  return exit_code::done;
}

}  // namespace

Verb status() {
  return {.name = "status",
          .positionals = "RUN ...",
          .least = 1,
          .most = 1000,
          .summary = "print one line a run, also while it goes on",
          .details = "RUN is a run file or a folder with run files.",
          .options = {},
          .example = "kernelevolve status runs/first",
          .run = &run_status};
}

}  // namespace ke::verbs
