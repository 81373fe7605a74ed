#include "experiments/view/report/data/run_data.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "archive/run_rows.hpp"
#include "core/search/role_figure.hpp"
#include "experiments/study/statistics.hpp"
#include "experiments/text/json.hpp"
#include "experiments/text/opponent_name.hpp"
#include "experiments/view/report/conversation.hpp"
#include "experiments/view/report/data/candidate_columns.hpp"
#include "experiments/view/report/data/credit.hpp"
#include "experiments/view/report/data/diversity.hpp"
#include "experiments/view/report/run_json.hpp"

namespace ke {
namespace {

// Counts where candidates are lost between proposal and elite.

struct FunnelStage {
  std::string name;
  std::int64_t left = 0;  ///< candidates that passed
  std::int64_t lost = 0;  ///< candidates that this check stopped
};

/// A check in the order in which candidates pass them, and the outcomes with which it rejects.
struct Stage {
  std::string_view name;
  std::vector<std::string_view> ends;
};

const std::array<Stage, 6>& stages() {
  static const std::array<Stage, 6> list = {{
      {"gave a kernel", {"no_child"}},
      {"is new", {"duplicate"}},
      {"builds", {"rejected", "compile_error", "compile_limit", "load_error"}},
      {"runs", {"runtime_error", "timeout", "resource_limit", "lost"}},
      {"is right", {"wrong_result", "nondeterministic", "suspicious"}},
      {"is measured", {"unreliable"}},
  }};
  return list;
}

std::size_t stage_of(std::string_view end) {
  const auto has = [&](const Stage& s) { return std::ranges::find(s.ends, end) != s.ends.end(); };
  return static_cast<std::size_t>(std::ranges::find_if(stages(), has) - stages().begin());
}

std::string end_of(const CandidateRow& c) { return c.outcome == "kernel" ? c.verdict : c.outcome; }

std::string reason_of(const CandidateRow& c) {
  if (c.outcome == "no_child") return c.no_child_reason;
  return c.outcome == "duplicate" ? c.duplicate_kind : c.reason;
}

struct Ending {
  std::int64_t count = 0;
  std::size_t example = 0;
};
using Endings = std::map<std::tuple<std::size_t, std::string, std::string>, Ending>;

Endings endings_of(const RunRows& rows) {
  Endings endings;
  for (std::size_t i = 0; i < rows.candidates.size(); ++i) {
    const CandidateRow& c = rows.candidates[i];
    const std::string end = end_of(c);
    if (end == "ok") continue;
    Ending& ending =
        endings.try_emplace({stage_of(end), end, reason_of(c)}, Ending{0, i}).first->second;
    ++ending.count;
  }
  return endings;
}

std::vector<FunnelStage> stages_of(const Endings& endings, std::int64_t proposals) {
  std::array<std::int64_t, 7> lost{};
  for (const auto& [key, ending] : endings) lost[std::get<0>(key)] += ending.count;
  std::vector<FunnelStage> list = {{"proposed", proposals, 0}};
  for (std::size_t i = 0; i < stages().size(); ++i) {
    proposals -= lost[i];
    list.push_back({std::string(stages()[i].name), proposals, lost[i]});
  }
  return list;
}

std::int64_t proposals_of(const RunRows& rows) {
  return static_cast<std::int64_t>(rows.candidates.size());
}

/// {"stages": [{name, left, lost}], "reasons": [{verdict, reason, stage, count, example}]}.
/// `example` is the position of the first candidate with that outcome.
Json funnel_json(const RunRows& rows) {
  const Endings endings = endings_of(rows);
  Json json;
  json["stages"] = column(stages_of(endings, proposals_of(rows)), [](const FunnelStage& s) {
    return Json{{"name", s.name}, {"left", s.left}, {"lost", s.lost}};
  });
  json["reasons"] = column(endings, [](const auto& row) {
    const auto& [stage, verdict, reason] = row.first;
    return Json{{"verdict", verdict},
                {"reason", reason},
                {"stage", stage + 1},
                {"count", row.second.count},
                {"example", row.second.example}};
  });
  return json;
}

// Jobs and costs of the device, and the resolution of its measurements.

constexpr std::size_t most_jobs = 20'000;

bool costs_anything(const JobRow& job) { return job.cost.compile_ns > 0 || job.cost.lane_ns > 0; }

double seconds(std::int64_t ns) { return static_cast<double>(ns) / 1e9; }
double milliseconds(std::int64_t ns) { return static_cast<double>(ns) / 1e6; }

std::map<std::string, std::vector<double>> resolvable_by_purpose(const RunRows& rows) {
  std::map<std::string, std::vector<double>> purposes;
  for (const JobRow& job : rows.jobs) {
    const bool timed = job.compared && job.speedup > 0 && std::isfinite(job.resolvable);
    if (timed) purposes[job.purpose].push_back(job.resolvable);
  }
  return purposes;
}

/// Jobs in order of arrival as columns: {session, purpose, verdict, arrived_ms, compile_ms,
/// lane_ms}. Null if no job cost anything, or above 20,000 jobs.
Json job_columns(const RunRows& rows) {
  if (rows.jobs.size() > most_jobs || std::ranges::none_of(rows.jobs, costs_anything)) {
    return nullptr;
  }
  Json json;
  json["session"] = column(rows.jobs, &JobRow::session);
  json["purpose"] = name_column(rows.jobs, &JobRow::purpose);
  json["verdict"] = name_column(rows.jobs, &JobRow::verdict);
  json["arrived_ms"] = column(rows.jobs, &JobRow::arrived_ms);
  json["compile_ms"] =
      column(rows.jobs, [](const JobRow& j) { return milliseconds(j.cost.compile_ns); });
  json["lane_ms"] = column(rows.jobs, [](const JobRow& j) { return milliseconds(j.cost.lane_ns); });
  return json;
}

/// [{purpose, jobs, compile_s, lane_s, judge_cpu_s}] over all sessions, from the view v_cost.
Json cost_rows(const RunRows& rows) {
  struct Sum {
    std::int64_t jobs = 0;
    Cost cost;
  };
  std::map<std::string, Sum> purposes;
  for (const JobRow& job : rows.jobs) {
    Sum& sum = purposes[job.purpose];
    ++sum.jobs;
    sum.cost.compile_ns += job.cost.compile_ns;
    sum.cost.lane_ns += job.cost.lane_ns;
    sum.cost.judge_cpu_ns += job.cost.judge_cpu_ns;
  }
  return column(purposes, [](const auto& row) {
    const auto& [purpose, sum] = row;
    return Json{{"purpose", purpose},
                {"jobs", sum.jobs},
                {"compile_s", seconds(sum.cost.compile_ns)},
                {"lane_s", seconds(sum.cost.lane_ns)},
                {"judge_cpu_s", seconds(sum.cost.judge_cpu_ns)}};
  });
}

/// [{purpose, measurements, resolvable: [quartiles], values}]: the smallest relative gain that each
/// measurement can resolve. Null if nothing is noisy.
Json noise_rows(const RunRows& rows) {
  if (!rows.evaluator.noisy) return nullptr;
  return column(resolvable_by_purpose(rows), [](const auto& row) {
    const auto& [purpose, values] = row;
    return Json{{"purpose", purpose},
                {"measurements", values.size()},
                {"resolvable", statistics::quartiles_of(values)},
                {"values", values}};
  });
}

/// [{name, exchanges, ok, input_tokens, output_tokens, dollars}] by model.
Json model_rows(const RunRows& rows) {
  struct Sum {
    std::int64_t exchanges = 0, ok = 0, input_tokens = 0, output_tokens = 0;
    double dollars = 0;
  };
  std::map<std::string, Sum> models;
  for (const ExchangeRow& x : rows.exchanges) {
    Sum& sum = models[x.model];
    ++sum.exchanges;
    sum.ok += x.status == "ok" ? 1 : 0;
    sum.input_tokens += x.input_tokens;
    sum.output_tokens += x.output_tokens;
    sum.dollars += x.dollars;
  }
  return column(models, [](const auto& row) {
    const auto& [name, sum] = row;
    return Json{{"name", name},
                {"exchanges", sum.exchanges},
                {"ok", sum.ok},
                {"input_tokens", sum.input_tokens},
                {"output_tokens", sum.output_tokens},
                {"dollars", number(sum.dollars)}};
  });
}

// Provenance of a run's figures: machines, tools, verified measurements.

Json workload_json(const WorkloadTiming& timing) {
  return {{"name", timing.workload},
          {"speedup", number(timing.speedup)},
          {"low", number(timing.ci.low)},
          {"high", number(timing.ci.high)},
          {"candidate_ns", number(timing.candidate_ns)},
          {"opponent_ns", number(timing.opponent_ns)},
          {"floor_ns", timing.floor_ns > 0 ? number(timing.floor_ns) : Json(nullptr)}};
}

Result<Json> workloads_of(const RunReader& reader, const VerifiedFigure& figure) {
  Json list = Json::array();
  KE_TRY(const auto view, reader.fact(figure.fact_key));
  if (!view || !view->fact.comparison) return list;
  for (const WorkloadTiming& timing : view->fact.comparison->workloads) {
    if (timing.role == figure.role) list.push_back(workload_json(timing));
  }
  return list;
}

/// [{host, hardware, microcode, kernel, sandbox, started_ms, stopped_ms, exit_code}].
Result<Json> session_rows(const RunReader& reader) {
  KE_TRY(const auto sessions, reader.sessions());
  return column(sessions, [](const SessionInfo& s) {
    return Json{{"host", s.host},
                {"hardware", s.hardware},
                {"microcode", s.microcode},
                {"kernel", s.kernel},
                {"program", s.binary_hash},
                {"sandbox", s.sandbox_level},
                {"started_ms", s.started_ms},
                {"stopped_ms", s.stopped_ms ? Json(*s.stopped_ms) : Json(nullptr)},
                {"exit_code", s.exit_code ? Json(*s.exit_code) : Json(nullptr)}};
  });
}

/// [{candidate, id, baseline, role, speedup, low, high, note, workloads}], where candidate is the
/// position of its row; workloads: [{name, speedup, low, high, candidate_ns, opponent_ns,
/// floor_ns}] of this role; floor_ns is null if unknown.
Result<Json> verified_rows(const RunReader& reader, const RunRows& rows) {
  std::map<LogicalId, std::size_t> places;
  for (std::size_t i = 0; i < rows.candidates.size(); ++i) places.emplace(rows.candidates[i].id, i);
  KE_TRY(const auto figures, reader.verified());
  KE_TRY(const auto labels, reader.task_labels());
  const auto anchor = labels.find("anchor");
  const std::string stand_in = anchor == labels.end() ? "" : anchor->second;
  Json list = Json::array();
  for (const VerifiedFigure& figure : figures) {
    const auto place = places.find(figure.candidate);
    if (place == places.end()) continue;  // committed after the rows were read
    KE_TRY(auto workloads, workloads_of(reader, figure));
    list.push_back({{"candidate", place->second},
                    {"id", figure.candidate.text()},
                    {"baseline", opponent_name(figure.baseline, stand_in)},
                    {"role", figure.role},
                    {"speedup", figure.note == not_resolved ? Json() : number(figure.speedup)},
                    {"low", number(figure.ci.low)},
                    {"high", number(figure.ci.high)},
                    {"note", figure.note},
                    {"workloads", std::move(workloads)}});
  }
  return list;
}

// Kernels relative to the ceilings of their device.

constexpr double ns_per_s = 1e9;

Json roofs_of(const RooflineWorkload& workload) {
  return {{"name", workload.cost.workload},
          {"role", workload.cost.role},
          {"bytes", workload.cost.bytes},
          {"flops", workload.cost.flops},
          {"bytes_per_s",
           workload.bytes_per_ns > 0 ? number(workload.bytes_per_ns * ns_per_s) : Json(nullptr)}};
}

/// {workloads: [{name, role, bytes, flops, bytes_per_s}], ceilings: [{name, flops_per_s}], seen:
/// {workload, candidate, ns}, verified: [{workload, kernel, ns}]}. `seen` holds columns with one
/// row per screen of an ok kernel; verified kernels are "champion" and the baselines. `bytes_per_s`
/// is null if the judge measured no bandwidth. Null for runs whose workloads have no cost.
Json roofline_json(const Roofline& roofline) {
  if (roofline.workloads.empty()) return nullptr;
  std::vector<RooflinePoint> seen, verified;
  for (const RooflinePoint& p : roofline.points) (p.candidate < 0 ? verified : seen).push_back(p);
  using Point = RooflinePoint;
  Json json;
  json["workloads"] = column(roofline.workloads, roofs_of);
  json["ceilings"] = column(roofline.ceilings, [](const Ceiling& c) {
    return Json{{"name", c.name}, {"flops_per_s", number(c.flops_per_s)}};
  });
  json["seen"] = {{"workload", column(seen, &Point::workload)},
                  {"candidate", column(seen, &Point::candidate)},
                  {"ns", column(seen, [](const Point& p) { return number(p.ns); })}};
  json["verified"] = column(verified, [](const Point& p) {
    return Json{{"workload", p.workload}, {"kernel", p.kernel}, {"ns", number(p.ns)}};
  });
  return json;
}

Json evaluator_json(const EvaluatorInfo& e) {
  return {{"kind", e.kind},
          {"device_class", e.device_class},
          {"toolchain", e.toolchain},
          {"protocol_version", e.protocol_version},
          {"noisy", e.noisy}};
}

Json stopped_json(const std::vector<StoppedPromotion>& stopped) {
  return column(stopped, [](const StoppedPromotion& s) {
    return Json{{"id", s.id.text()}, {"finding", s.finding}};
  });
}

void add_kernels(const RunRows& rows, Json& json) {
  json["candidates"] = candidate_columns(rows);
  json["parents"] = parent_columns(rows);
  json["kernels"] = kernel_columns(rows);
  json["remarks"] = remark_rows(rows);
  json["events"] = event_columns(rows);
  json["numeric_elites"] = column(rows.numeric_elites, [](const NumericEliteRow& e) {
    return Json{e.cell, number(e.objective)};
  });
  json["jobs"] = job_columns(rows);
  json["roofline"] = roofline_json(rows.roofline);
}

/// Lines of a canonical config that limit the run.
std::string limits_of(const std::string& config) {
  std::istringstream lines(config);
  std::string kept;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("budget.")) kept += line + "\n";
  }
  return kept;
}

/// The points of a run's progress at which the best objective rose, and the last one.
Json rises(const Json& progress) {
  Json kept = {{"evaluations", Json::array()}, {"best", Json::array()}};
  const Json& best = progress["best"];
  for (std::size_t i = 0; i < best.size(); ++i) {
    if (i > 0 && i + 1 < best.size() && best[i] == best[i - 1]) continue;
    for (auto& [name, list] : kept.items()) list.push_back(progress[name][i]);
  }
  return kept;
}

void add_counts(const RunRows& rows, Json& json) {
  json["evaluator"] = evaluator_json(rows.evaluator);
  json["credit"] = credit_json(credit_by_operator(rows));
  json["model_credit"] = credit_json(credit_by_model(rows));
  json["models"] = model_rows(rows);
  json["funnel"] = funnel_json(rows);
  json["migrations"] = migration_rows(rows);
  json["costs"] = cost_rows(rows);
  json["noise"] = noise_rows(rows);
}

}  // namespace

Result<Json> run_data(const std::shared_ptr<const RunReader>& shared, bool kernels) {
  const RunReader& reader = *shared;
  KE_TRY(const RunRows rows, read_rows(reader));
  KE_TRY(const RunSummary summary, summarise(reader));
  KE_TRY(const auto island_axes, reader.axes("island"));
  KE_TRY(const auto common_axes, reader.axes("passive"));
  Json json = {{"summary", json_of(summary)}};
  json["config"] = summary.header.config_text;
  KE_TRY(json["kept_options"], reader.kept_options());
  json["not_promoted"] = stopped_json(summary.stopped);
  json["axes"] = {{"island", axes_json(island_axes)}, {"common", axes_json(common_axes)}};
  KE_TRY(json["sessions"], session_rows(reader));
  KE_TRY(json["verified"], verified_rows(reader, rows));
  KE_TRY(json["progress"], progress_columns(reader, rows));
  json["diversity"] = diversity_columns(rows, common_axes);
  add_counts(rows, json);
  if (!kernels) return json;
  add_kernels(rows, json);
  KE_TRY(json["letters"], letter_rows(shared, rows));
  return json;
}

Json run_index(const Json& run) {
  const Json& summary = run["summary"];
  Json short_summary = Json::object();
  for (const char* key : {"run_id", "file", "task", "seed", "state", "stop", "labels", "proposals",
                          "evaluations", "elapsed_s", "coverage", "qd_score", "bill", "max"}) {
    if (summary.contains(key)) short_summary[key] = summary[key];
  }
  Json verified = Json::array();
  const Json champion = summary["champion"].is_null() ? Json() : summary["champion"]["id"];
  for (Json figure : run["verified"]) {
    figure.erase("workloads");
    if (figure["id"] == champion) verified.push_back(std::move(figure));
  }
  return {{"summary", short_summary},
          {"config", limits_of(run["config"])},
          {"kept_options", run["kept_options"]},
          {"evaluator", run["evaluator"]},
          {"verified", verified},
          {"progress", rises(run["progress"])}};
}

}  // namespace ke
