#include "experiments/study/sweep/arm_diff.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ke {
namespace {

std::string line(char sign, const std::string& path, const std::string& value) {
  return value.empty() ? "" : fmt::format("{}{} = {}\n", sign, path, value);
}

}  // namespace

bool ArmDiff::proven() const {
  return !differences.empty() &&
         std::ranges::all_of(differences, [](const ArmDifference& d) { return d.declared; });
}

std::vector<ArmDiff> diff_arms(const Sweep& sweep) {
  std::vector<ArmDiff> diffs;
  for (std::size_t arm = 0; arm < sweep.arms.size(); ++arm) {
    if (arm == sweep.reference()) continue;
    diffs.push_back({sweep.arms[arm].spec.name, differences(sweep, arm)});
  }
  return diffs;
}

std::string text_of(const std::vector<ArmDiff>& diffs, const std::string& reference) {
  std::string text;
  for (const ArmDiff& diff : diffs) {
    text += fmt::format("--- {}\n+++ {}\n", reference, diff.arm);
    for (const ArmDifference& d : that_matter(diff.differences)) {
      if (!d.declared) text += "# not declared:\n";
      text += line('-', d.path, d.reference) + line('+', d.path, d.arm);
    }
    if (diff.differences.empty()) text += "# the same configuration\n";
  }
  return text;
}

Json json_of(const std::vector<ArmDiff>& diffs) {
  Json list = Json::array();
  for (const ArmDiff& diff : diffs) {
    Json one = {{"arm", diff.arm}, {"ok", diff.proven()}, {"differences", Json::array()}};
    for (const ArmDifference& d : diff.differences) {
      one["differences"].push_back(
          {{"path", d.path}, {"reference", d.reference}, {"arm", d.arm}, {"declared", d.declared}});
    }
    list.push_back(std::move(one));
  }
  return list;
}

}  // namespace ke
