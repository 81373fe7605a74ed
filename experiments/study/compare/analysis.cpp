#include "experiments/study/compare/analysis.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "experiments/run/config/document.hpp"

namespace ke {
namespace {

const std::vector<std::string> endpoint_names = {
    "best_seen", "best_verified_speedup", "qd_score", "coverage", "auc", "evaluations_to_target"};
const std::vector<std::string> unit_names = {"task", "device", "seed", "chain"};
const std::vector<std::string> test_names = {"paired_hierarchical_bootstrap", "wilcoxon",
                                             "mann_whitney"};
const std::vector<std::string> reduction_names = {"mean", "median", "iqm"};

/// Returns the enumerator at the position of `name` in `names`.
template <typename Enum>
Enum enumerator(const std::vector<std::string>& names, const std::string& name) {
  return static_cast<Enum>(std::ranges::find(names, name) - names.begin());
}

template <typename Enum>
Enum choose(Params& section, std::string_view key, const std::vector<std::string>& names,
            std::string_view doc) {
  return enumerator<Enum>(names, section.choice(key, names.front(), names, doc));
}

void read_endpoint(Params& section, Analysis& analysis) {
  analysis.endpoint = choose<Endpoint>(section, "endpoint", endpoint_names,
                                       "what is read from a run; auc is the mean of the best "
                                       "objective so far over the budget");
  const bool to_target = analysis.endpoint == Endpoint::evaluations_to_target;
  analysis.larger_is_better = !to_target;
  const std::string scale =
      section.choice("scale", "auto", {"auto", "log", "linear"},
                     "log: effects are ratios; auto is log for speedups and evaluations");
  const bool ratio = to_target || analysis.endpoint == Endpoint::best_verified_speedup;
  analysis.log_scale = scale == "log" || (scale == "auto" && ratio);
  analysis.target = section.real("target", 0, {0, 1e12},
                                 "objective that evaluations_to_target waits for; a run that never "
                                 "reaches it counts as censored at its limit");
  if (to_target && analysis.target <= 0) {
    section.fail("target", "is missing; evaluations_to_target needs it");
  }
  analysis.baseline =
      section.text("baseline", "naive", "baseline of best_verified_speedup: naive, anchor, ...");
  analysis.role = section.choice("role", "bench", {"bench", "validation", "holdout"},
                                 "workloads of best_verified_speedup");
}

void read_test(Params& section, Analysis& analysis) {
  analysis.unit =
      choose<Unit>(section, "unit", unit_names,
                   "what conclusions generalise over: its replicates; chain: all tasks of a seed, "
                   "whose runs depend on each other");
  analysis.test = choose<TestKind>(section, "test", test_names,
                                   "the first two pair the arms by task, device and seed");
  analysis.reduce = choose<Reduction>(section, "reduce", reduction_names,
                                      "how seeds of one task become one value");
  analysis.holm = section.choice("family", "holm", {"holm", "none"},
                                 "control of the family-wise error over all arms") == "holm";
  analysis.alpha = section.real("alpha", 0.05, {1e-6, 0.4}, "error rate; intervals have 1 - alpha");
  analysis.min_effect =
      section.real("min_effect", 0, {0, 1e9},
                   "smallest effect of interest: a ratio of 1 + x on the log scale, otherwise a "
                   "difference of x; 0 = no equivalence test");
  analysis.repetitions =
      section.integer("repetitions", 2000, {200, 1'000'000}, "resamples of the bootstrap");
}

}  // namespace

std::string_view to_string(Endpoint e) { return endpoint_names[static_cast<std::size_t>(e)]; }
std::string_view to_string(Unit u) { return unit_names[static_cast<std::size_t>(u)]; }
std::string_view to_string(TestKind t) { return test_names[static_cast<std::size_t>(t)]; }

std::string endpoint_words(const Analysis& analysis) {
  switch (analysis.endpoint) {
    case Endpoint::best_seen: return "best objective seen";
    case Endpoint::best_verified_speedup: return "best verified speedup over " + analysis.baseline;
    case Endpoint::qd_score: return "QD score";
    case Endpoint::coverage: return "coverage";
    case Endpoint::auc: return "best objective so far, averaged over the budget";
    case Endpoint::evaluations_to_target: break;
  }
  return fmt::format("evaluations to an objective of {:g}", analysis.target);
}

Analysis read_analysis(Params& top) {
  Params section = top.section("analysis");
  Analysis analysis;
  analysis.reference = section.text("reference", "",
                                    "arm that the others are compared with; the "
                                    "first one if not given");
  analysis.arms = section.texts("arms", {}, "arms that are compared with it; all if not given");
  read_endpoint(section, analysis);
  read_test(section, analysis);
  return analysis;
}

Result<Analysis> analysis_of_canonical(const std::string& canonical, const std::string& place,
                                       const std::vector<std::string>& overrides) {
  Node document = document_of_canonical(canonical, place);
  for (const std::string& text : overrides) {
    const bool whole = text.starts_with("analysis.");
    KE_TRY_VOID(apply_override(document, whole ? text : "analysis." + text, "."));
  }
  ParamLog log;
  Params top(&document, "", log);
  Analysis analysis = read_analysis(top);
  log.report_unknown();
  if (!log.errors.empty()) {
    return Error{Failure::config, fmt::format("{}", fmt::join(log.errors, "\n"))};
  }
  analysis.canonical_text = log.canonical_text();
  return analysis;
}

}  // namespace ke
