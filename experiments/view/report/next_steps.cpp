#include "experiments/view/report/next_steps.hpp"

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
  std::string text = fmt::format(
      "\nnext:\n"
      "  kernelevolve show {0} --candidate champion --source\n      prints the best kernel\n"
      "  kernelevolve report {1} -o report.html\n      shows the whole search in a browser\n",
      first->file, folder);
  if (kind == "function" || kind == "landscape" || kind.empty()) return text;
  if (first->devices.empty()) {
    text += fmt::format(
        "  kernelevolve dispatch {} -o LIBRARY\n"
        "      makes a library that calls the anchor wherever no kernel of the run is faster\n",
        first->file);
  }
  return text + fmt::format(
                    "  kernelevolve export {} --kernel champion -o KERNEL\n"
                    "      writes the best kernel with what builds it\n",
                    first->file);
}

}  // namespace ke
