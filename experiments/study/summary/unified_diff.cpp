#include "experiments/study/summary/unified_diff.hpp"

#include <dtl/dtl.hpp>

#include <sstream>
#include <vector>

namespace ke {
namespace {

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  std::istringstream stream{std::string(text)};
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace

std::string unified_diff(std::string_view old_name, std::string_view old_text,
                         std::string_view new_name, std::string_view new_text) {
  if (old_text == new_text) return {};
  dtl::Diff<std::string> diff(lines_of(old_text), lines_of(new_text));
  diff.compose();
  diff.composeUnifiedHunks();
  std::ostringstream out;
  out << "--- " << old_name << "\n+++ " << new_name << "\n";
  diff.printUnifiedFormat(out);
  return out.str();
}

}  // namespace ke
