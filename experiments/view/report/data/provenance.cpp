#include "experiments/view/report/data/provenance.hpp"

#include <map>

#include "experiments/view/report/json_number.hpp"

namespace ke {
namespace {

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

}  // namespace

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

Result<Json> verified_rows(const RunReader& reader, const RunRows& rows) {
  std::map<LogicalId, std::size_t> places;
  for (std::size_t i = 0; i < rows.candidates.size(); ++i) places.emplace(rows.candidates[i].id, i);
  KE_TRY(const auto figures, reader.verified());
  Json list = Json::array();
  for (const VerifiedFigure& figure : figures) {
    const auto place = places.find(figure.candidate);
    if (place == places.end()) continue;  // committed after the rows were read
    KE_TRY(auto workloads, workloads_of(reader, figure));
    list.push_back({{"candidate", place->second},
                    {"baseline", figure.baseline},
                    {"role", figure.role},
                    {"speedup", number(figure.speedup)},
                    {"low", number(figure.ci.low)},
                    {"high", number(figure.ci.high)},
                    {"note", figure.note},
                    {"workloads", std::move(workloads)}});
  }
  return list;
}

}  // namespace ke
