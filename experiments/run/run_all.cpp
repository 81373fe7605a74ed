#include "experiments/run/run_all.hpp"

namespace ke {

Result<int> run_all(const std::vector<RunRequest>& requests, Console& console) {
  const StopSignals signals;
  int worst = exit_code::done;
  for (const RunRequest& request : requests) {
    KE_TRY(const int code, run_one(request, signals, console));
    if (code >= exit_code::interrupted) {
      console.err << "interrupted; state is saved in " << request.file
                  << ", 'kernelevolve resume' goes on\n";
      return code;
    }
    if (code != exit_code::done) worst = code;
  }
  return worst;
}

}  // namespace ke
