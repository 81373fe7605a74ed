#include "experiments/compare/caption.hpp"

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
  return fmt::format("{} seeds ({})", seeds.size(), fmt::join(seeds, ", "));
}

}  // namespace

Provenance provenance_of(const ComparedRuns& runs) {
  Provenance p;
  for (const ComparedRun& run : runs.runs) {
    add(p.tasks, run.task);
    add(p.seeds, run.seed);
    add(p.hardware, run.hardware);
    add_makers(p.made_by, run.made_by);
    add(p.lags, run.option("islands.lag"));
    for (const std::string_view currency : {"evaluations", "proposals"}) {
      const std::string limit = run.option(fmt::format("budget.{}", currency));
      if (!limit.empty() && limit != "0") add(p.budgets, limit + " " + std::string(currency));
    }
    add_config(p, run);
  }
  return p;
}

std::string caption_of(const ArmComparison& comparison, const Provenance& p, bool exploratory) {
  const Analysis& a = comparison.analysis;
  std::string configs;
  for (const auto& [arm, ids] : p.config_ids) {
    configs += fmt::format("{}{} {}", configs.empty() ? "" : ", ", arm, fmt::join(ids, "+"));
  }
  return fmt::format(
      "{}{} ({} against {}; {} over {}s, family {}, alpha {}). {} kernels ({}), {}, lag {}, budget "
      "{}, hardware: {}. Configurations: {}.",
      exploratory ? "Exploratory, not as declared before the runs. " : "", to_string(a.endpoint),
      a.log_scale ? "ratio" : "difference", a.reference, to_string(a.test), to_string(a.unit),
      a.holm ? "holm" : "none", a.alpha, p.tasks.size(), fmt::join(p.tasks, ", "),
      seeds_text(p.seeds), fmt::join(p.lags, "/"), fmt::join(p.budgets, " / "),
      fmt::join(p.hardware, "; "), configs);
}

}  // namespace ke
