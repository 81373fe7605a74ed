#include "experiments/view/report/run_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/text.hpp"
#include "experiments/run/failure_text.hpp"
#include "experiments/run/progress.hpp"
#include "experiments/study/summary/run_summary.hpp"
#include "experiments/text/opponent_name.hpp"
#include "experiments/text/table.hpp"

namespace ke {
namespace {

constexpr std::size_t shown_reasons = 5;

const SpeedupFigure* verified(const RunSummary& run, const std::string& role,
                              const std::string& baseline) {
  if (!run.champion) return nullptr;
  const auto figures = run.champion->verified.find(role);
  if (figures == run.champion->verified.end()) return nullptr;
  const auto figure = figures->second.find(baseline);
  return figure == figures->second.end() ? nullptr : &figure->second;
}

std::string cell(const SpeedupFigure* figure) {
  return figure == nullptr ? "-" : figure_text(*figure);
}

/// A verified figure at other shapes than the bench ones. A task may have only one shape.
std::string other_shapes_cell(const RunSummary& run, const std::string& role,
                              const std::string& baseline) {
  const SpeedupFigure* const figure = verified(run, role, baseline);
  return figure == nullptr && run.labels.contains("shapes") ? run.labels.at("shapes")
                                                            : cell(figure);
}

/// An opponent as the run's task knows it.
std::string named(const RunSummary& run, const std::string& opponent) {
  const auto anchor = run.labels.find("anchor");
  return opponent_name(opponent, anchor == run.labels.end() ? "" : anchor->second);
}

/// The speedup over the strongest baseline that was measured, with its name.
std::string verified_text(const RunSummary& run) {
  if (!run.champion || !run.champion->verified.contains("bench")) return "-";
  const auto& figures = run.champion->verified.at("bench");
  const auto figure = strongest(figures);
  if (figure == figures.end()) return cell(verified(run, "bench", "naive"));
  return fmt::format("{} over {}", figure_text(figure->second), named(run, figure->first));
}

std::string coverage_text(const std::optional<ArchiveFill>& archive) {
  return archive ? fmt::format("{:.1f} %", 100 * archive->coverage) : "-";
}

/// Coverage and QD score of the archive that the search used, and of the common one where it
/// differs.
std::string archive_text(const RunSummary& run) {
  const auto figures = [](const ArchiveFill& fill) {
    return fmt::format("coverage {:.1f} %, QD score {:.2f}", 100 * fill.coverage, fill.qd_score);
  };
  const std::string own = run.archive ? figures(*run.archive) : "without axes";
  const std::string common = run.common ? figures(*run.common) : own;
  return own == common ? own : fmt::format("{}; common archive: {}", own, common);
}

std::string seen_text(const RunSummary& run) {
  if (run.numeric) return fmt::format("max {:.3f}", run.numeric->best);
  if (!run.champion) return "-";
  return objective_text(run.champion->seen.speedup, named(run, run.champion->against));
}

/// With its interval where it was timed.
std::string seen_by_search(const RunSummary& run) {
  const ChampionSummary& champion = *run.champion;
  const bool timed = champion.against == "anchor" || champion.against == "naive";
  if (!timed) return objective_text(champion.seen.speedup, champion.against);
  return fmt::format("{} against {}", figure_text(champion.seen), named(run, champion.against));
}

/// True for proposals without a new kernel, which are not failures.
bool is_idle(const std::string& name) { return name == "duplicate" || name == "no_child"; }

/// Proposals without a new kernel, by kind; without conversations that gave no kernel, which the
/// bill lists.
std::map<std::string, std::int64_t> idle_kinds(const RunSummary& run) {
  std::map<std::string, std::int64_t> kinds;
  for (const auto& [name, count] : run.counters.failures) {
    const std::int64_t idle = count - (name == "no_child" ? run.bill.fruitless : 0);
    if (is_idle(name) && idle > 0) kinds[name] = idle;
  }
  return kinds;
}

std::int64_t sum(const std::map<std::string, std::int64_t>& counts) {
  std::int64_t total = 0;
  for (const auto& [name, count] : counts) total += count;
  return total;
}

std::set<std::string> baselines(const RunSummary& run) {
  std::set<std::string> names;
  if (!run.champion) return names;
  for (const auto& [role, figures] : run.champion->verified) {
    for (const auto& [name, figure] : figures) names.insert(name);
  }
  return names;
}

std::string state_text(const RunSummary& run) {
  const bool nothing = run.state == RunState::done && run.counters.judged == 0;
  std::string text(nothing ? "nothing was judged" : to_string(run.state));
  if (!run.stop_reason.empty()) text += " (" + run.stop_reason + ")";
  return text;
}

/// Lines on where the task comes from; "" where it does not say.
std::string origin_text(const RunSummary& run) {
  std::string text;
  for (const char* name : {"source", "licence", "category", "libraries", "math"}) {
    const auto label = run.labels.find(name);
    const bool usual = label == run.labels.end() || label->second == "forbidden";
    if (!usual) text += fmt::format("{:<12} {}\n", name, label->second);
  }
  return text;
}

/// The most frequent failures with what the judge said, one a line.
std::string reasons_text(const RunSummary& run) {
  std::string text;
  for (const FailureReason& reason : most_frequent({&run.counters}, shown_reasons)) {
    text += fmt::format("{:<12} {}\n", "", failure_text(reason));
  }
  return text;
}

std::string counts_text(const std::map<std::string, std::int64_t>& counts) {
  std::string text;
  for (const auto& [name, count] : counts) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, count);
  }
  return text.empty() ? "none" : text;
}

/// A line on the most frequent failure; "" if there is none.
std::string frequent_text(const std::optional<FrequentFailure>& failure) {
  constexpr std::size_t longest = 160;
  if (!failure) return "";
  std::string message(split(failure->message, '\n').front());
  if (message.size() > longest) message = message.substr(0, longest) + " ..";
  return fmt::format("most often   {} x {}: {}\n", failure->kernels, failure->verdict, message);
}

std::map<std::string, std::int64_t> failure_kinds(const RunSummary& run) {
  std::map<std::string, std::int64_t> kinds = run.counters.failures;
  std::erase_if(kinds, [](const auto& kind) { return is_idle(kind.first); });
  return kinds;
}

/// A remedy for a reason why answers are unusable; "" if there is no general one.
std::string_view remedy(std::string_view reason) {
  constexpr std::pair<std::string_view, std::string_view> remedies[] = {
      {"model_truncated", "cut off: raise max_output_tokens of the operator"},
      {"model_timeout", "not done in time: raise llm.deadline"},
      {"model_stalled", "nothing came: raise llm.stall"},
      {"model_bad_reply", "not in the format of llm.dialect"},
  };
  for (const auto& [name, text] : remedies) {
    if (name == reason) return text;
  }
  return "";
}

std::string unusable_text(const LlmBill& bill) {
  std::string text;
  for (const auto& [reason, count] : bill.unusable) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", reason, count);
    if (const auto help = remedy(reason); !help.empty()) text += fmt::format(" ({})", help);
  }
  if (bill.reasoning_only > 0) {
    text += fmt::format("; {} held reasoning only, no answer", bill.reasoning_only);
  }
  return text.empty() ? "none" : text;
}

std::string bill_line(const ModelBill& bill) {
  return fmt::format(
      "{} answers, {} tokens in ({} cached), {} out, ${:.4f}{}", bill.answers, bill.input_tokens,
      bill.cached_tokens, bill.output_tokens, bill.dollars,
      bill.estimated > 0 ? fmt::format(", {} of them estimated", bill.estimated) : "");
}

/// Lines on the language models of a run; "" where it asked none.
std::string bill_text(const LlmBill& bill) {
  if (bill.models.empty()) return "";
  std::string text = fmt::format("unusable     {}\n", unusable_text(bill));
  if (bill.models.size() > 1) {
    for (const ModelBill& one : bill.models) {
      text += fmt::format("bill         {}: {}\n", one.model, bill_line(one));
    }
    return text + fmt::format("bill         all models: {}\n", bill_line(bill.total()));
  }
  const std::string& model = bill.models.front().model;
  return text + fmt::format("bill         {}{}\n", model.empty() ? "" : model + ": ",
                            bill_line(bill.models.front()));
}

/// A line for each opponent that is faster at some shapes; the champion's worst ones first.
std::string slower_text(const RunSummary& run) {
  constexpr std::size_t most = 4;
  std::string text;
  for (SlowerShapes one : run.slower) {
    std::ranges::stable_sort(one.shapes, {},
                             [](const auto& shape) { return shape.second.speedup; });
    text += fmt::format("slower       than {} at", named(run, one.opponent));
    for (std::size_t i = 0; i < std::min(most, one.shapes.size()); ++i) {
      text += fmt::format("{} {} ({:.3f}x)", i == 0 ? "" : ",", one.shapes[i].first,
                          one.shapes[i].second.speedup);
    }
    if (one.shapes.size() > most) text += fmt::format(" and {} more", one.shapes.size() - most);
    text += "\n";
  }
  return text;
}

}  // namespace

std::string status_table(const std::vector<RunSummary>& runs) {
  const bool models =
      std::ranges::any_of(runs, [](const RunSummary& run) { return !run.bill.models.empty(); });
  std::vector<std::string> head{"run", "state",    "evaluations", "per s", "busy",    "coverage",
                                "qd",  "failures", "not new",     "seen",  "verified"};
  if (models) head.insert(head.end(), {"unusable", "answers", "dollars"});
  Table table(head);
  for (const RunSummary& run : runs) {
    std::vector<std::string> line{run.run_id,
                                  state_text(run),
                                  fmt::format("{}", run.counters.evaluations),
                                  fmt::format("{:.1f}", run.counters.evaluations_per_s),
                                  fmt::format("{:.2f}", run.lane_busy),
                                  coverage_text(run.archive),
                                  run.archive ? fmt::format("{:.1f}", run.archive->qd_score) : "-",
                                  fmt::format("{}", sum(failure_kinds(run))),
                                  fmt::format("{}", sum(idle_kinds(run))),
                                  seen_text(run),
                                  verified_text(run)};
    if (models) {
      const ModelBill bill = run.bill.total();
      line.insert(line.end(),
                  {fmt::format("{}", sum(run.bill.unusable)), fmt::format("{}", bill.answers),
                   fmt::format("{:.4f}", bill.dollars)});
    }
    table.add(line);
  }
  std::string text = table.text();
  std::vector<const RunCounters*> counters;
  for (const RunSummary& run : runs) counters.push_back(&run.counters);
  for (const FailureReason& reason : most_frequent(counters, shown_reasons)) {
    text += "failed  " + failure_text(reason) + "\n";
  }
  return text;
}

std::string results_table(const std::vector<RunSummary>& runs) {
  Table table(
      {"task", "seed", "against", "bench", "validation", "holdout", "evaluations", "coverage"});
  for (const RunSummary& run : runs) {
    for (const std::string& name : baselines(run)) {
      table.add({run.header.task, fmt::format("{}", run.header.seed), named(run, name),
                 cell(verified(run, "bench", name)), other_shapes_cell(run, "validation", name),
                 other_shapes_cell(run, "holdout", name),
                 fmt::format("{}", run.counters.evaluations), coverage_text(run.archive)});
    }
    if (baselines(run).empty() && !run.numeric) {
      table.add({run.header.task, fmt::format("{}", run.header.seed), "not verified", "-", "-", "-",
                 fmt::format("{}", run.counters.evaluations), coverage_text(run.archive)});
    }
  }
  return table.text();
}

std::string run_text(const RunSummary& run) {
  const RunCounters& c = run.counters;
  std::string text = fmt::format(
      "run          {}\nfile         {}\ntask         {}, seed {}\n{}state        {}\n"
      "progress     {} steps, {} proposals, {} evaluations in {} ({:.1f} a second)\n"
      "busy         {:.2f} {}s on average, the scarcest resource\narchive      {}\n"
      "failures     {}\n{}not new      {}\nconfig       {}\nhistory      {}\n",
      run.run_id, run.file, run.header.task, run.header.seed, origin_text(run), state_text(run),
      c.steps, c.proposals, c.evaluations, clock_text(static_cast<std::int64_t>(c.elapsed_s)),
      c.evaluations_per_s, run.lane_busy, run.limiting_resource, archive_text(run),
      counts_text(failure_kinds(run)), reasons_text(run), counts_text(idle_kinds(run)),
      run.header.config_id.hex(), run.history_hash.hex());
  if (run.numeric) {
    return text + fmt::format(
                      "numeric      QD score over cells {:.4f}, max {:.4f}, {} cells filled, {} "
                      "measures clipped\n",
                      run.norm_qd_score, run.numeric->best, run.numeric->filled,
                      run.numeric->clipped);
  }
  text += frequent_text(run.frequent) + bill_text(run.bill);
  for (const std::string& warning : run.warnings) text += "warning      " + warning + "\n";
  for (const StoppedPromotion& elite : run.stopped) {
    text += fmt::format("not promoted {}: {}\n", elite.id.text(), elite.finding);
  }
  if (!run.champion) return text + "champion     none: no candidate was ok\n";
  text += fmt::format("champion     {} by {}: {}\nseen         {}, during the search\n",
                      run.champion->id.text(), run.champion->operator_name,
                      genome_text(run.champion->kernel), seen_by_search(run));
  text += slower_text(run);
  if (!run.champion->sanitizers.empty()) text += "sanitizers   " + run.champion->sanitizers + "\n";
  for (const std::string& sentence : run.champion->profile) {
    text += "profile      " + sentence + "\n";
  }
  return text;
}

}  // namespace ke
