#include "experiments/study/compare/main_effects.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "core/text.hpp"
#include "experiments/study/compare/contrast.hpp"
#include "fitness/timing/robust.hpp"

namespace ke {
namespace {

/// A setting with its value in each arm.
struct Factor {
  std::string path;
  std::vector<std::string> levels;  ///< in order of first appearance
  std::vector<std::size_t> by_arm;  ///< [arm] position in `levels`
};

using Settings = std::map<std::string, std::string, std::less<>>;

Settings settings_of(const ComparedRun& run) {
  Settings settings;
  for (const std::string_view line : split(run.header.config_text, '\n')) {
    const std::size_t equals = line.find(" = ");
    if (equals == line.npos) continue;
    settings.emplace(line.substr(0, equals), line.substr(equals + 3));
  }
  return settings;
}

/// Settings of each arm on one task and seed that all arms have; empty if there is none.
std::vector<Settings> settings_of_arms(const ComparedRuns& runs) {
  std::map<std::pair<std::string, std::int64_t>, std::map<std::string, const ComparedRun*>> cells;
  for (const ComparedRun& run : runs.runs) cells[{run.task, run.seed}][run.arm] = &run;
  for (const auto& [cell, by_arm] : cells) {
    if (by_arm.size() != runs.arms.size()) continue;
    std::vector<Settings> settings;
    for (const std::string& arm : runs.arms) settings.push_back(settings_of(*by_arm.at(arm)));
    return settings;
  }
  return {};
}

Factor factor_of(const std::string& path, const std::vector<Settings>& arms) {
  Factor factor{path, {}, {}};
  for (const Settings& settings : arms) {
    const auto found = settings.find(path);
    const std::string value = found == settings.end() ? "none" : found->second;
    auto level = std::ranges::find(factor.levels, value);
    if (level == factor.levels.end()) level = factor.levels.insert(level, value);
    factor.by_arm.push_back(static_cast<std::size_t>(level - factor.levels.begin()));
  }
  return factor;
}

/// Whether the level of `fine` determines that of `coarse` in every arm.
bool determines(const Factor& fine, const Factor& coarse) {
  std::map<std::size_t, std::size_t> seen;
  for (std::size_t arm = 0; arm < fine.by_arm.size(); ++arm) {
    const auto [entry, added] = seen.emplace(fine.by_arm[arm], coarse.by_arm[arm]);
    if (!added && entry->second != coarse.by_arm[arm]) return false;
  }
  return true;
}

/// Settings that vary, without those that another one determines.
std::vector<Factor> factors_of(const std::vector<Settings>& arms) {
  std::set<std::string> paths;
  for (const Settings& settings : arms) {
    for (const auto& [path, value] : settings) paths.insert(path);
  }
  std::vector<Factor> factors;
  for (const std::string& path : paths) {
    Factor factor = factor_of(path, arms);
    const auto known = [&](const Factor& other) { return determines(other, factor); };
    if (factor.levels.size() < 2 || std::ranges::any_of(factors, known)) continue;
    std::erase_if(factors, [&](const Factor& other) { return determines(factor, other); });
    factors.push_back(std::move(factor));
  }
  return factors;
}

/// Whether the arms are all combinations of the levels, each once.
bool are_factorial(const std::vector<Factor>& factors, std::size_t arms) {
  std::size_t combinations = 1;
  for (const Factor& factor : factors) combinations *= factor.levels.size();
  std::set<std::vector<std::size_t>> distinct;
  for (std::size_t arm = 0; arm < arms; ++arm) {
    std::vector<std::size_t> levels;
    for (const Factor& factor : factors) levels.push_back(factor.by_arm[arm]);
    distinct.insert(std::move(levels));
  }
  return factors.size() >= 2 && combinations == arms && distinct.size() == arms;
}

struct Cell {
  std::string level, task, device;
  std::int64_t seed = 0;
  auto operator<=>(const Cell&) const = default;
};

std::vector<Observation> averaged(const Factor& factor, const std::vector<std::string>& arms,
                                  const Analysis& analysis,
                                  std::span<const Observation> observations) {
  std::map<Cell, std::vector<double>> gains;
  std::map<Cell, bool> censored;
  for (const Observation& o : observations) {
    const auto arm = static_cast<std::size_t>(std::ranges::find(arms, o.arm) - arms.begin());
    const Cell cell{factor.levels[factor.by_arm[arm]], o.task, o.device, o.seed};
    gains[cell].push_back(gain_of(analysis, o.value));
    censored[cell] = censored[cell] || o.censored;
  }
  std::vector<Observation> means;
  for (const auto& [cell, values] : gains) {
    if (values.size() != arms.size() / factor.levels.size()) continue;
    means.push_back({cell.level, cell.task, cell.device, cell.seed,
                     effect_of(analysis, mean_of(values)), censored.at(cell)});
  }
  return means;
}

}  // namespace

Result<std::vector<FactorEffects>> main_effects(const ComparedRuns& runs, const Analysis& analysis,
                                                std::span<const Observation> observations,
                                                const ValueRange& objective) {
  std::vector<FactorEffects> effects;
  const auto factors = factors_of(settings_of_arms(runs));
  if (analysis.unit == Unit::chain || !are_factorial(factors, runs.arms.size())) return effects;
  const auto reference = static_cast<std::size_t>(std::ranges::find(runs.arms, analysis.reference) -
                                                  runs.arms.begin());
  for (const Factor& factor : factors) {
    Analysis own = analysis;
    own.arms.clear();
    own.reference = factor.levels[factor.by_arm[reference]];
    const auto means = averaged(factor, runs.arms, analysis, observations);
    if (means.empty()) continue;
    KE_TRY(auto comparison, compare_arms(own, factor.levels, means, objective));
    effects.push_back({factor.path, std::move(comparison)});
  }
  return effects;
}

}  // namespace ke
