#include "experiments/view/report/data/funnel.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "experiments/view/report/json_number.hpp"

namespace ke {
namespace {

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

}  // namespace

std::vector<FunnelStage> funnel_stages(const RunRows& rows) {
  return stages_of(endings_of(rows), proposals_of(rows));
}

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

}  // namespace ke
