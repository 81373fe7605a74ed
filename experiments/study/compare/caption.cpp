#include "experiments/study/compare/caption.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace ke {
namespace {

template <typename T>
void add(std::vector<T>& list, const T& value) {
  if (std::ranges::find(list, value) == list.end()) list.push_back(value);
}

void add_config(Provenance& p, const ComparedRun& run) {
  const std::string id = run.header.config_id.short_hex();
  for (auto& [arm, ids] : p.config_ids) {
    if (arm == run.arm) return add(ids, id);
  }
  p.config_ids.push_back({run.arm, {id}});
}

std::string seeds_text(std::vector<std::int64_t> seeds) {
  std::ranges::sort(seeds);
  const bool whole =
      !seeds.empty() && seeds.back() - seeds.front() + 1 == static_cast<std::int64_t>(seeds.size());
  if (whole && seeds.size() > 1) {
    return fmt::format("{} seeds ({}..{})", seeds.size(), seeds.front(), seeds.back());
  }
  return fmt::format("{} seed{} ({})", seeds.size(), seeds.size() == 1 ? "" : "s",
                     fmt::join(seeds, ", "));
}

std::string plural(std::size_t count) { return count == 1 ? "" : "s"; }

/// Names the first tasks, since a caption must fit its page.
std::string tasks_text(const std::vector<std::string>& tasks) {
  constexpr std::size_t most = 20;
  if (tasks.size() <= most) return fmt::format("{}", fmt::join(tasks, ", "));
  return fmt::format("{} and {} more", fmt::join(tasks.begin(), tasks.begin() + most, ", "),
                     tasks.size() - most);
}

std::string family_text(const ArmComparison& comparison) {
  const std::size_t count = comparison.contrasts.size();
  if (!comparison.analysis.holm) return {};
  return fmt::format(", adjusted by Holm's method for {} comparison{}", count, plural(count));
}

}  // namespace

Provenance provenance_of(const ComparedRuns& runs) {
  Provenance p;
  for (const ComparedRun& run : runs.runs) {
    add(p.tasks, run.task);
    add(p.seeds, run.seed);
    add(p.hardware, run.hardware);
    add_makers(p.made_by, run.made_by);
    const std::string lag = run.option("islands.lag");
    if (!lag.empty()) add(p.lags, lag);
    for (const std::string_view currency : {"evaluations", "proposals"}) {
      const std::string limit = run.option(fmt::format("budget.{}", currency));
      if (!limit.empty() && limit != "0") add(p.budgets, limit + " " + std::string(currency));
    }
    add_config(p, run);
  }
  return p;
}

// Numeric searches have neither lag nor budget.
std::string runs_text(const Provenance& p) {
  std::string text = fmt::format("{} task{} ({}), {}", p.tasks.size(), plural(p.tasks.size()),
                                 tasks_text(p.tasks), seeds_text(p.seeds));
  if (!p.lags.empty()) text += fmt::format(", lag {}", fmt::join(p.lags, "/"));
  if (!p.budgets.empty()) text += fmt::format(", budget {}", fmt::join(p.budgets, " / "));
  return text + fmt::format(", measured on: {}", fmt::join(p.hardware, "; "));
}

std::string exploratory_text(bool exploratory) {
  return exploratory ? "Exploratory, not as declared before the runs. " : "";
}

std::string caption_of(const ArmComparison& comparison, const Provenance& p, bool exploratory,
                       std::string_view reference) {
  const Analysis& a = comparison.analysis;
  std::string test(to_string(a.test));
  std::ranges::replace(test, '_', ' ');
  return fmt::format(
      "{}Mean {} by arm and its {} {}, with {:g} % intervals; p-values by the {} over {}s{}. {}.",
      exploratory_text(exploratory), endpoint_words(a),
      a.log_scale ? "ratio to that of" : "difference from that of",
      reference.empty() ? std::string_view(a.reference) : reference, 100 * (1 - a.alpha), test,
      to_string(a.unit), family_text(comparison), runs_text(p));
}

std::string configurations_text(const Provenance& provenance) {
  std::string configs;
  for (const auto& [arm, ids] : provenance.config_ids) {
    configs += fmt::format("{}{} {}", configs.empty() ? "" : ", ", arm, fmt::join(ids, "+"));
  }
  return fmt::format("Configurations: {}.", configs);
}

}  // namespace ke
