#include "experiments/study/summary/programs.hpp"

#include <fmt/format.h>

#include <set>

namespace ke {

void count_programs(const std::vector<SessionInfo>& sessions, RunsByProgram& runs) {
  std::set<std::string> own;
  for (const SessionInfo& session : sessions) own.insert(session.binary_hash);
  for (const std::string& program : own) ++runs[program];
}

std::string programs_warning(const RunsByProgram& runs) {
  if (runs.size() < 2) return {};
  std::string list;
  for (const auto& [program, count] : runs) {
    list += fmt::format("{}{} of {}", list.empty() ? "" : ", ", count, program.substr(0, 12));
  }
  return fmt::format(
      "the runs stem from {} programs ({}): differences between them may be those of the programs",
      runs.size(), list);
}

}  // namespace ke
