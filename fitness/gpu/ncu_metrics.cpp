#include "fitness/gpu/ncu_metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "core/feedback_record.hpp"

namespace ke::gpu {
namespace {

using Measures = std::map<std::string, double>;

/// A measure that is the time-weighted mean of one metric.
struct Averaged {
  std::string_view measure;
  const char* metric;
};
constexpr Averaged averaged[] = {
    {"dram_pct", "dram__throughput.avg.pct_of_peak_sustained_elapsed"},
    {"sm_pct", "sm__throughput.avg.pct_of_peak_sustained_elapsed"},
    {"tensor_pct", "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active"},
    {"issue_pct", "smsp__issue_active.avg.pct_of_peak_sustained_active"},
    {"occupancy_pct", "sm__warps_active.avg.pct_of_peak_sustained_active"},
    {"l1_hit_pct", "l1tex__t_sector_hit_rate.pct"},
    {"l2_hit_pct", "lts__t_sector_hit_rate.pct"},
    {"sectors_per_load", "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio"},
};

constexpr const char* time_metric = "gpu__time_duration.sum";
constexpr const char* registers_metric = "launch__registers_per_thread";
constexpr const char* conflicts_metric = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum";
constexpr const char* shared_metrics[] = {"smsp__inst_executed_op_shared_ld.sum",
                                          "smsp__inst_executed_op_shared_st.sum"};

/// Reasons why warps cannot issue. Ready warps that are not chosen (`not_selected`) are not
/// stalled.
struct Stall {
  std::string_view reason;
  std::string_view meaning;
};
constexpr Stall stalls[] = {
    {"long_scoreboard", "data from global or local memory"},
    {"short_scoreboard", "data from shared memory or special functions"},
    {"barrier", "other warps at a barrier"},
    {"membar", "a memory fence"},
    {"wait", "fixed latency of the instruction before"},
    {"math_pipe_throttle", "a busy arithmetic pipe"},
    {"mio_throttle", "the queue to shared memory and special functions"},
    {"lg_throttle", "the queue to global memory"},
    {"tex_throttle", "the queue to the texture unit"},
    {"gmma", "matrix instructions of a warp group"},
    {"branch_resolving", "the target of a branch"},
    {"dispatch_stall", "the dispatcher"},
    {"drain", "stores at the end of the kernel"},
    {"imc_miss", "constants that are in no cache"},
    {"no_instruction", "instructions that are in no cache"},
    {"sleeping", "a sleep that the kernel asked for"},
    {"misc", "other reasons"},
};

std::string stall_metric(std::string_view reason) {
  return fmt::format("smsp__average_warps_issue_stalled_{}_per_issue_active.ratio", reason);
}

std::optional<double> metric_of(const ProfiledLaunch& launch, const std::string& name) {
  const auto found = launch.metrics.find(name);
  return found == launch.metrics.end() ? std::nullopt : std::optional(found->second);
}

double sum_of(const std::vector<ProfiledLaunch>& launches, const std::string& name) {
  double sum = 0;
  for (const ProfiledLaunch& launch : launches) sum += metric_of(launch, name).value_or(0);
  return sum;
}

/// Launches without a time have weight 1 ns, so that they count equally if no launch has a time.
std::optional<double> mean_of(const std::vector<ProfiledLaunch>& launches,
                              const std::string& name) {
  double sum = 0, weights = 0;
  for (const ProfiledLaunch& launch : launches) {
    const auto value = metric_of(launch, name);
    if (!value) continue;
    const double weight = std::max(metric_of(launch, time_metric).value_or(1), 1.0);
    sum += weight * *value;
    weights += weight;
  }
  return weights > 0 ? std::optional(sum / weights) : std::nullopt;
}

void add_stalls(const std::vector<ProfiledLaunch>& launches, Measures& measures) {
  std::vector<std::pair<double, std::string_view>> found;
  for (const Stall& stall : stalls) {
    const auto cycles = mean_of(launches, stall_metric(stall.reason));
    if (cycles && *cycles > 0) found.emplace_back(*cycles, stall.reason);
  }
  std::ranges::stable_sort(found, std::greater<>(), &std::pair<double, std::string_view>::first);
  if (found.size() > 2) found.resize(2);
  for (const auto& [cycles, reason] : found) {
    measures[ncu_measure(fmt::format("{}{}", ncu_stall_prefix, reason))] = cycles;
  }
}

void add_conflicts(const std::vector<ProfiledLaunch>& launches, Measures& measures) {
  double requests = 0;
  for (const char* metric : shared_metrics) requests += sum_of(launches, metric);
  const bool known = mean_of(launches, conflicts_metric).has_value();
  if (!known || requests <= 0) return;
  measures[ncu_measure("bank_conflicts")] = sum_of(launches, conflicts_metric) / requests;
}

}  // namespace

std::vector<std::string> ncu_metric_names() {
  std::vector<std::string> names{time_metric, registers_metric, conflicts_metric};
  names.insert(names.end(), std::begin(shared_metrics), std::end(shared_metrics));
  for (const Averaged& one : averaged) names.emplace_back(one.metric);
  for (const Stall& stall : stalls) names.push_back(stall_metric(stall.reason));
  return names;
}

std::string ncu_measure(std::string_view name) { return fmt::format("{}{}", profile_prefix, name); }

std::string_view ncu_stall_meaning(std::string_view reason) {
  const auto* const known = std::ranges::find(stalls, reason, &Stall::reason);
  return known == std::end(stalls) ? "an unknown reason" : known->meaning;
}

std::map<std::string, double> ncu_measures(const std::vector<ProfiledLaunch>& launches) {
  Measures measures;
  for (const Averaged& one : averaged) {
    if (const auto mean = mean_of(launches, one.metric)) {
      measures[ncu_measure(one.measure)] = *mean;
    }
  }
  for (const ProfiledLaunch& launch : launches) {
    if (const auto registers = metric_of(launch, registers_metric)) {
      double& most = measures[ncu_measure("registers")];
      most = std::max(most, *registers);
    }
  }
  if (mean_of(launches, time_metric)) {
    measures[ncu_measure("time_ns")] = sum_of(launches, time_metric);
  }
  add_conflicts(launches, measures);
  add_stalls(launches, measures);
  return measures;
}

}  // namespace ke::gpu
