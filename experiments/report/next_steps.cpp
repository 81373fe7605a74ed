#include "experiments/report/next_steps.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "archive/recorded_facts.hpp"

namespace ke {
namespace {

Result<std::string> kind_of(const std::string& file) {
  KE_TRY(const auto reader, RunReader::open(file));
  KE_TRY(const auto evaluator, recorded_evaluator(*reader));
  return evaluator ? evaluator->kind : std::string();
}

}  // namespace

Result<std::string> next_steps(const std::vector<RunSummary>& runs, const std::string& folder) {
  const auto done = [](const RunSummary& run) {
    return run.champion && run.state == RunState::done;
  };
  const auto first = std::ranges::find_if(runs, done);
  if (first == runs.end()) return std::string();
  KE_TRY(const std::string kind, kind_of(first->file));
  if (kind == "cpu" && first->devices.empty()) {
    return fmt::format(
        "\nnext: kernelevolve dispatch {0} -o LIBRARY makes a C library that calls the anchor\n"
        "      wherever no kernel of the run is faster; kernelevolve export {0}\n"
        "      --kernel champion -o KERNEL writes the champion with the command that builds it\n",
        first->file);
  }
  if (kind == "function" || kind == "landscape" || kind.empty()) {
    return fmt::format("\nnext: kernelevolve report {} -o report.html shows the whole search\n",
                       folder);
  }
  return fmt::format(
      "\nnext: kernelevolve export {0} --kernel champion -o KERNEL writes the champion;\n"
      "      kernelevolve verify {0} --remeasure times it anew\n",
      first->file);
}

}  // namespace ke
