#include "experiments/run/run_all.hpp"

#include <fmt/format.h>

namespace ke {
namespace {

void tell(const RunRequest& request, const RunEnd& end, Console& console) {
  if (end.code >= exit_code::interrupted) {
    console.err << fmt::format("interrupted; state is saved in {}, 'kernelevolve resume' goes on\n",
                               request.file);
  }
  if (end.letters) {
    console.err << fmt::format(
        "{}: {} letter{} wait{} for answers in {}; 'kernelevolve resume' goes on\n", request.file,
        end.letters->count, end.letters->count == 1 ? "" : "s", end.letters->count == 1 ? "s" : "",
        end.letters->place);
  }
  if (!end.note.empty()) console.err << fmt::format("{}: {}\n", request.file, end.note);
}

/// Combines the exit codes of two runs; waiting takes precedence, because that run is unfinished.
int worse(int a, int b) {
  const bool waits = a == exit_code::waiting || b == exit_code::waiting;
  return waits ? exit_code::waiting : b != exit_code::done ? b : a;
}

}  // namespace

Result<RunsEnd> run_all(const std::vector<RunRequest>& requests, Console& console) {
  const StopSignals signals;
  RunsEnd all;
  for (const RunRequest& request : requests) {
    KE_TRY(const RunEnd end, run_one(request, signals, console));
    tell(request, end, console);
    if (end.letters) all.letters[request.file] = *end.letters;
    if (end.code >= exit_code::interrupted) {
      all.code = end.code;
      return all;
    }
    all.code = worse(all.code, end.code);
  }
  return all;
}

}  // namespace ke
