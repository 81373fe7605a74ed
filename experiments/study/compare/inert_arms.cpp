#include "experiments/study/compare/inert_arms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace ke {
namespace {

using Key = std::pair<std::string, std::int64_t>;  // task, seed

std::map<Key, double> values_of(const std::string& arm, std::span<const Observation> observations) {
  std::map<Key, double> values;
  for (const Observation& o : observations) {
    if (o.arm == arm) values[{o.task, o.seed}] = o.value;
  }
  return values;
}

std::map<Key, std::string> files_of(const std::string& arm, const ComparedRuns& runs) {
  std::map<Key, std::string> files;
  for (const ComparedRun& run : runs.runs) {
    if (run.arm == arm) files[{run.task, run.seed}] = run.file;
  }
  return files;
}

Result<std::vector<ProgressPoint>> course_of(const std::string& file) {
  KE_TRY(const auto reader, RunReader::open(file));
  return reader->progress();
}

bool same_state(const ProgressPoint& a, const ProgressPoint& b) {
  const auto state = [](const ProgressPoint& p) {
    return std::tuple(p.proposals, p.evaluations, p.best, p.filled, p.qd_score);
  };
  return state(a) == state(b);
}

Result<bool> same_course(const std::string& a, const std::string& b) {
  KE_TRY(const auto first, course_of(a));
  KE_TRY(const auto second, course_of(b));
  return std::ranges::equal(first, second, same_state);
}

Result<bool> same_courses(const std::string& a, const std::string& b, const ComparedRuns& runs) {
  const auto others = files_of(b, runs);
  for (const auto& [key, file] : files_of(a, runs)) {
    KE_TRY(const bool same, same_course(file, others.at(key)));
    if (!same) return false;
  }
  return true;
}

}  // namespace

Result<std::vector<std::string>> inert_arms(const ComparedRuns& runs,
                                            std::span<const Observation> observations) {
  std::vector<std::string> sentences;
  for (std::size_t i = 0; i < runs.arms.size(); ++i) {
    const auto own = values_of(runs.arms[i], observations);
    for (std::size_t j = i + 1; j < runs.arms.size() && !own.empty(); ++j) {
      if (own != values_of(runs.arms[j], observations)) continue;
      if (own.size() != files_of(runs.arms[i], runs).size()) continue;
      if (own.size() != files_of(runs.arms[j], runs).size()) continue;
      KE_TRY(const bool same, same_courses(runs.arms[i], runs.arms[j], runs));
      if (!same) continue;
      sentences.push_back(
          fmt::format("arms '{}' and '{}' have equal histories in all {} runs: what they differ in "
                      "had no effect",
                      runs.arms[i], runs.arms[j], own.size()));
    }
  }
  return sentences;
}

}  // namespace ke
