#include "experiments/view/report/data/jobs.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "experiments/study/statistics/quartiles.hpp"
#include "experiments/view/report/data/name_column.hpp"
#include "experiments/view/report/json_number.hpp"

namespace ke {
namespace {

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

}  // namespace

Json job_columns(const RunRows& rows) {
  if (rows.jobs.size() > most_jobs || std::ranges::none_of(rows.jobs, costs_anything)) {
    return nullptr;
  }
  Json json;
  json["session"] = column(rows.jobs, [](const JobRow& j) { return j.session; });
  json["purpose"] = name_column(
      rows.jobs, [](const JobRow& j) -> auto& { return j.purpose; });
  json["verdict"] = name_column(
      rows.jobs, [](const JobRow& j) -> auto& { return j.verdict; });
  json["arrived_ms"] = column(rows.jobs, [](const JobRow& j) { return j.arrived_ms; });
  json["compile_ms"] =
      column(rows.jobs, [](const JobRow& j) { return milliseconds(j.cost.compile_ns); });
  json["lane_ms"] = column(rows.jobs, [](const JobRow& j) { return milliseconds(j.cost.lane_ns); });
  return json;
}

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

}  // namespace ke
