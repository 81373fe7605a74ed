#include "experiments/view/report/run_json.hpp"

#include "core/search/role_figure.hpp"

namespace ke {
namespace {

Json json_of_verified(const ChampionSummary& champion) {
  Json verified = Json::object();
  for (const auto& [role, figures] : champion.verified) {
    const auto naive = figures.find("naive");
    if (naive != figures.end()) verified[role] = json_of(naive->second);
  }
  const auto bench = champion.verified.find("bench");
  verified["baselines"] =
      bench == champion.verified.end() ? Json::object() : json_of(bench->second);
  verified["roles"] = Json::object();
  for (const auto& [role, figures] : champion.verified) verified["roles"][role] = json_of(figures);
  return verified;
}

Json json_of(const CorrectedQdScore& corrected) {
  if (corrected.cells == 0) return nullptr;
  return {{"cells", corrected.cells},
          {"seen", number(corrected.seen)},
          {"score", number(corrected.score)}};
}

Json json_of(const ChampionSummary& champion) {
  Json seen = json_of(champion.seen);
  seen["against"] = champion.against;
  Json json = {{"id", champion.id.text()}, {"operator", champion.operator_name}, {"seen", seen}};
  json["verified"] = champion.verified.empty() ? Json(nullptr) : json_of_verified(champion);
  json["sanitizers"] = champion.sanitizers.empty() ? Json(nullptr) : Json(champion.sanitizers);
  if (!champion.profile.empty()) {
    json["profile"] = {{"sentences", champion.profile}, {"counters", champion.counters}};
  }
  json["kernel"] = json_of(champion.kernel, false);
  return json;
}

Json json_of(const std::vector<SlowerShapes>& list) {
  Json json = Json::object();
  for (const SlowerShapes& one : list) {
    for (const auto& [shape, figure] : one.shapes) json[one.opponent][shape] = json_of(figure);
  }
  return json;
}

Json json_of(const DeviceSummary& device) {
  return {{"name", device.record.name},
          {"task", device.record.task},
          {"device_class", device.record.info.device_class},
          {"islands", device.record.islands},
          {"evaluations", device.evaluations},
          {"best", number(device.best)},
          {"champion", device.champion ? json_of(*device.champion) : Json(nullptr)}};
}

Json json_of(const TransferSummary& transfer) {
  const auto& rho = transfer.rank_correlation;
  return {{"from", transfer.from},
          {"to", transfer.to},
          {"offered", transfer.offered},
          {"correct", transfer.correct},
          {"filled", transfer.filled},
          {"better", transfer.better},
          {"rank_correlation", rho ? Json(*rho) : Json(nullptr)}};
}

Json json_of(const ModelBill& bill) {
  return {{"answers", bill.answers},
          {"estimated", bill.estimated},
          {"input_tokens", bill.input_tokens},
          {"cached_tokens", bill.cached_tokens},
          {"output_tokens", bill.output_tokens},
          {"dollars", number(bill.dollars)}};
}

Json json_of(const LlmBill& bill) {
  if (bill.models.empty()) return nullptr;
  Json json = json_of(bill.total());
  json["kernels"] = bill.kernels;
  json["unusable"] = bill.unusable;
  json["models"] = Json::object();
  for (const ModelBill& one : bill.models) json["models"][one.model] = json_of(one);
  return json;
}

void add_devices(const RunSummary& run, Json& json) {
  if (run.devices.empty()) return;
  json["devices"] = column(run.devices, [](const auto& device) { return json_of(device); });
  json["transfers"] = column(run.transfers, [](const auto& one) { return json_of(one); });
}

}  // namespace

Json json_of(const Interval& interval) {
  return Json::array({number(interval.low), number(interval.high)});
}

Json json_of(const SpeedupFigure& figure) {
  const bool unresolved = figure.note == not_resolved;
  const bool known = figure.speedup > 0 && !unresolved;  // 0: nothing was timed
  Json json = {{"speedup", known ? number(figure.speedup) : Json()},
               {"ci", known ? json_of(figure.ci) : Json::array({nullptr, nullptr})}};
  if (!figure.note.empty()) json["note"] = figure.note;
  if (unresolved) {
    json["resolved"] = false;
    if (figure.speedup > 0) {
      json["estimate"] = {{"speedup", number(figure.speedup)}, {"ci", json_of(figure.ci)}};
    }
  }
  return json;
}

Json json_of(const std::map<std::string, SpeedupFigure>& figures) {
  Json json = Json::object();
  for (const auto& [name, figure] : figures) json[name] = json_of(figure);
  return json;
}

Json json_of(const RunSummary& s) {
  Json json = {{"run_id", s.run_id},
               {"file", s.file},
               {"config_id", s.header.config_id.hex()},
               {"task", s.header.task},
               {"labels", s.labels},
               {"seed", s.header.seed},
               {"state", to_string(s.state)},
               {"stop", s.stop_reason.empty() ? Json(nullptr) : Json(s.stop_reason)},
               {"steps", s.counters.steps},
               {"proposals", s.counters.proposals},
               {"evaluations", s.counters.evaluations},
               {"evaluations_per_s", number(s.counters.evaluations_per_s)},
               {"elapsed_s", number(s.counters.elapsed_s)},
               {"lane_busy", number(s.lane_busy)},
               {"limiting_resource", s.limiting_resource},
               {"coverage", s.archive ? number(s.archive->coverage) : Json()},
               {"qd_score", s.archive ? number(s.archive->qd_score) : Json()},
               {"common_coverage", s.common ? number(s.common->coverage) : Json()},
               {"common_qd_score", s.common ? number(s.common->qd_score) : Json()},
               {"corrected_qd_score", json_of(s.corrected)},
               {"failures", s.counters.failures},
               {"history_hash", s.history_hash.hex()}};
  json["bill"] = json_of(s.bill);
  json["judged"] = s.counters.judged;
  json["failure_reasons"] = column(s.counters.reasons, [](const FailureReason& one) {
    return Json{{"verdict", one.verdict},
                {"reason", one.reason},
                {"count", one.count},
                {"message", one.message}};
  });
  if (s.numeric) {
    json["norm_qd_score"] = number(s.norm_qd_score);
    json["max"] = number(s.numeric->best);
    json["filled"] = s.numeric->filled;
    json["clipped"] = s.numeric->clipped;
  }
  json["warnings"] = s.warnings;
  json["champion"] = s.champion ? json_of(*s.champion) : Json(nullptr);
  if (!s.slower.empty()) json["slower"] = json_of(s.slower);
  add_devices(s, json);
  return json;
}

Json json_of(const Kernel& kernel, bool with_source) {
  Json json = {{"language", kernel.language}, {"name", kernel.name}, {"knobs", kernel.knobs}};
  json["flags"] = kernel.flags;
  if (!kernel.launch_plan.empty()) json["launch_plan"] = kernel.launch_plan;
  if (with_source) json["source"] = kernel.source;
  return json;
}

Json parents_json(const Candidate& c) {
  return column(c.ancestors, [](const Ancestor& a) {
    return Json{{"id", a.id.text()}, {"role", to_string(a.role)}};
  });
}

Json json_of(const Candidate& c, bool with_source) {
  const Evaluation& e = c.evaluation;
  Json json = {{"id", c.id.text()},
               {"operator", c.operator_name},
               {"outcome", to_string(c.outcome)},
               {"no_child_reason", c.no_child_reason},
               {"duplicate_of", c.duplicate_of ? Json(c.duplicate_of->text()) : Json(nullptr)},
               {"verdict", to_string(e.verdict)},
               {"reason", e.reason},
               {"message", e.message},
               {"objective", number(e.objective)},
               {"ci", json_of(e.interval)},
               {"measures", Json::object()},
               {"parents", parents_json(c)},
               {"genome_hash", c.genome_hash.hex()},
               {"build_hash", e.build_hash.hex()}};
  for (const auto& [name, value] : e.measures) json["measures"][name] = number(value);
  json["kernel"] =
      c.outcome == OutcomeKind::no_child ? Json(nullptr) : json_of(c.kernel, with_source);
  return json;
}

}  // namespace ke
