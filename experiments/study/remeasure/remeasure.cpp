#include "experiments/study/remeasure/remeasure.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "core/search/job_maker.hpp"
#include "core/search/role_figure.hpp"
#include "experiments/run/ask.hpp"
#include "experiments/run/assemble.hpp"
#include "experiments/run/stored_run.hpp"
#include "fitness/timing/robust.hpp"

namespace ke {
namespace {

/// Figures of one baseline by role, and the fact that holds them.
struct Verified {
  std::map<std::string, SpeedupFigure> roles;
  Digest fact_key;
};

std::map<std::string, Verified> by_baseline(const std::vector<VerifiedFigure>& figures,
                                            const LogicalId& champion) {
  std::map<std::string, Verified> baselines;
  for (const VerifiedFigure& figure : figures) {
    if (figure.candidate != champion) continue;
    Verified& verified = baselines[figure.baseline];
    verified.roles[figure.role] = {figure.speedup, figure.ci, figure.note};
    verified.fact_key = figure.fact_key;
  }
  return baselines;
}

/// The champion; where no figure was reliable, as on a busy machine, the one of the measured
/// kernels that seemed best. Nothing if there is none.
Result<std::optional<LogicalId>> measured_kernel(const RunReader& reader,
                                                 const std::vector<VerifiedFigure>& figures) {
  KE_TRY(const auto stop, reader.stop());
  if (stop && stop->champion) return stop->champion;
  std::optional<LogicalId> best;
  double objective = 0;
  for (const VerifiedFigure& figure : figures) {
    if (!figure.note.starts_with(to_string(Verdict::unreliable))) continue;
    KE_TRY(const auto found, reader.candidate(figure.candidate));
    if (!found || found->candidate->evaluation.objective <= objective) continue;
    objective = found->candidate->evaluation.objective;
    best = figure.candidate;
  }
  return best;
}

Result<Digest> build_again(Evaluator& evaluator, const JobMaker& jobs, const Kernel& kernel) {
  KE_TRY(const Fact built, ask(evaluator, jobs.build(kernel)));
  if (built.verdict == Verdict::ok) return built.build_hash;
  return Error{Failure::device,
               fmt::format("the champion does not build here: {} {}", built.reason, built.message)};
}

std::vector<std::string> roles_of(const Verified& verified) {
  std::vector<std::string> roles;
  for (const auto& [role, figure] : verified.roles) roles.push_back(role);
  return roles;
}

SpeedupFigure figure_of(const Fact& fact, const std::string& role, const WorkloadMean& mean) {
  SpeedupFigure figure;
  figure.note = figure_note(fact, role);
  if (!fact.comparison) return figure;
  const RoleFigure combined = role_figure(*fact.comparison, role, mean);
  figure.speedup = combined.speedup;
  figure.ci = combined.ci;
  return figure;
}

}  // namespace

double RemeasuredFigure::excess() const {
  return then.speedup > 0 && now.speedup > 0 ? ratio(then, now).speedup - 1 : 0;
}

bool RemeasuredFigure::agrees() const {
  if (then.speedup <= 0 || now.speedup <= 0) return now.speedup > 0;
  const Interval ci = ratio(then, now).ci;
  return ci.low <= 1 && ci.high >= 1;
}

Agreement agreement_of(const std::vector<double>& excesses) {
  Agreement agreement;
  agreement.figures = excesses.size();
  if (excesses.empty()) return agreement;
  std::vector<double> sizes;
  for (const double excess : excesses) sizes.push_back(std::abs(excess));
  agreement.median_absolute = median_of(sizes);
  agreement.mean = mean_of(excesses);
  const auto n = static_cast<double>(excesses.size());
  const double half = n > 1
                          ? students_t_quantile(0.975, n - 1) * std::sqrt(variance_of(excesses) / n)
                          : std::numeric_limits<double>::infinity();
  agreement.ci = {agreement.mean - half, agreement.mean + half};
  return agreement;
}

Result<std::vector<RemeasuredFigure>> remeasure(const RunReader& reader, const std::string& tasks,
                                                Console& console) {
  KE_TRY(const RunHeader header, reader.header());
  KE_TRY(const auto figures, reader.verified());
  KE_TRY(const auto measured, measured_kernel(reader, figures));
  if (!measured) return std::vector<RemeasuredFigure>();
  KE_TRY(const auto champion, reader.candidate(*measured));
  if (!champion || figures.empty()) return std::vector<RemeasuredFigure>();
  KE_TRY(const Experiment experiment, stored_experiment(header, reader.path(), {}));
  KE_TRY(const Subject subject, stored_subject(experiment, header, reader.path(), tasks));
  KE_TRY(const StartedEvaluator started, start_device(experiment, 0, subject, "", header.seed));
  if (!started.warning.empty()) console.err << "warning: " << started.warning << "\n";
  const JobMaker jobs(started.evaluator->info(), subject.on(0).hash);
  const WorkloadMean mean = subject.on(0).task ? subject.on(0).task->mean : WorkloadMean();
  const Kernel& kernel = champion->candidate->kernel;
  KE_TRY(const Digest build, build_again(*started.evaluator, jobs, kernel));
  std::vector<RemeasuredFigure> list;
  for (const auto& [baseline, verified] : by_baseline(figures, *measured)) {
    KE_TRY(auto other, reader.opponent_kernel(verified.fact_key));
    const Opponent opponent{other ? "" : baseline, std::move(other)};
    const Job job = jobs.verify(kernel, build, opponent, {}, roles_of(verified));
    KE_TRY(const Fact fact, ask_reliably(*started.evaluator, job, "remeasure/1"));
    for (const auto& [role, then] : verified.roles) {
      list.push_back({baseline, role, then, figure_of(fact, role, mean)});
    }
  }
  return list;
}

}  // namespace ke
