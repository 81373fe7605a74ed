#include "fitness/gpu/ncu_metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "core/feedback_record.hpp"
#include "core/text.hpp"

namespace ke::gpu {
namespace {

using Measures = std::map<std::string, double>;

/// Begins the names of stall measures, after the common prefix.
constexpr std::string_view stall_prefix = "stall_";

/// The measure's name for a metric: "dram_pct" gives "ncu_dram_pct".
std::string ncu_measure(std::string_view name) { return fmt::format("{}{}", profile_prefix, name); }

std::optional<double> value_in(const Measures& numbers, const std::string& name) {
  const auto found = numbers.find(name);
  return found == numbers.end() ? std::nullopt : std::optional(found->second);
}

/// A measure by its short name.
std::optional<double> known(const Measures& measures, std::string_view name) {
  return value_in(measures, ncu_measure(name));
}

constexpr std::string_view kernel_column = "Kernel Name";

/// Factor from a unit to ns or bytes; 1 for all others. Tool versions spell some units differently.
double scale_of(std::string_view unit) {
  struct Unit {
    std::string_view name;
    double scale;
  };
  constexpr Unit units[] = {
      {"second", 1e9}, {"s", 1e9},  {"msecond", 1e6}, {"ms", 1e6}, {"usecond", 1e3}, {"us", 1e3},
      {"Kbyte", 1e3},  {"KB", 1e3}, {"Mbyte", 1e6},   {"MB", 1e6}, {"Gbyte", 1e9},   {"GB", 1e9},
  };
  const auto* const known = std::ranges::find(units, unit, &Unit::name);
  return known == std::end(units) ? 1 : known->scale;
}

bool is_header(const std::vector<std::string>& fields) {
  return fields.front() == "ID" && std::ranges::find(fields, kernel_column) != fields.end();
}

ProfiledLaunch launch_of(const std::vector<std::string>& names,
                         const std::vector<std::string>& units,
                         const std::vector<std::string>& fields) {
  ProfiledLaunch launch;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == kernel_column) launch.kernel = fields[i];
    const bool metric = names[i].find("__") != std::string::npos;
    const auto value = metric ? number_of_field(fields[i]) : std::nullopt;
    if (value) launch.metrics[names[i]] = *value * scale_of(units[i]);
  }
  return launch;
}

}  // namespace

std::vector<std::string> csv_fields(std::string_view line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool twice = quoted && line.substr(i, 2) == "\"\"";
    if (twice || (line[i] != '"' && (quoted || line[i] != ','))) {
      fields.back() += line[i];
      i += twice ? 1 : 0;
    } else if (line[i] == '"') {
      quoted = !quoted;
    } else {
      fields.emplace_back();
    }
  }
  return fields;
}

std::optional<double> number_of_field(std::string_view field) {
  std::string digits(trim(field));
  std::erase(digits, ',');
  return number_from<double>(digits);
}

// The line of units follows the line of names and has no launch number.
std::vector<ProfiledLaunch> parse_ncu_csv(std::string_view text) {
  std::vector<ProfiledLaunch> launches;
  std::vector<std::string> names, units;
  for (const std::string_view line : split(text, '\n')) {
    if (!line.starts_with('"')) continue;
    const std::vector<std::string> fields = csv_fields(trim(line));
    if (is_header(fields)) {
      names = fields;
      units.assign(names.size(), "");
    } else if (fields.size() != names.size() || names.empty()) {
      continue;
    } else if (fields.front().empty()) {
      units = fields;
    } else {
      launches.push_back(launch_of(names, units, fields));
    }
  }
  return launches;
}

namespace {

// Like the tool's own guide, takes a throughput of 60 % or more for the limit.
constexpr double bound_pct = 60;

std::string limiter_sentence(const Measures& m) {
  const auto dram = known(m, "dram_pct"), sm = known(m, "sm_pct"), tensor = known(m, "tensor_pct");
  if (!dram && !sm) return "";
  const std::string pipes = tensor ? fmt::format(" (tensor pipes {:.0f} %)", *tensor) : "";
  if (dram && *dram >= bound_pct && *dram >= sm.value_or(0)) {
    return fmt::format("DRAM {:.0f} % of peak: memory-bound; SM {:.0f} %{}.", *dram, sm.value_or(0),
                       pipes);
  }
  if (sm && *sm >= bound_pct) {
    return fmt::format("SM {:.0f} % of peak{}: bound by its instructions; DRAM {:.0f} %.", *sm,
                       pipes, dram.value_or(0));
  }
  return fmt::format(
      "DRAM {:.0f} % and SM {:.0f} %{} of peak: neither is busy, bound by latency or by too little "
      "work in flight.",
      dram.value_or(0), sm.value_or(0), pipes);
}

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

/// Describes the event that warps wait for.
std::string_view meaning_of(std::string_view reason) {
  const auto* const found = std::ranges::find(stalls, reason, &Stall::reason);
  return found == std::end(stalls) ? "an unknown reason" : found->meaning;
}

std::string stall_sentence(const Measures& measures) {
  const std::string prefix = ncu_measure(stall_prefix);
  std::vector<std::pair<double, std::string>> parts;
  for (const auto& [name, cycles] : measures) {
    if (!name.starts_with(prefix)) continue;
    const std::string reason = name.substr(prefix.size());
    parts.emplace_back(cycles,
                       fmt::format("{} ({}, {:.1f} cycles)", reason, meaning_of(reason), cycles));
  }
  std::ranges::stable_sort(parts, std::greater<>(), &std::pair<double, std::string>::first);
  if (parts.empty()) return "";
  std::string text = "For each issued instruction warps wait most for " + parts.front().second;
  if (parts.size() > 1) text += " and " + parts[1].second;
  return text + ".";
}

std::string occupancy_sentence(const Measures& m) {
  const auto occupancy = known(m, "occupancy_pct"), issue = known(m, "issue_pct");
  if (!occupancy) return "";
  std::string text = fmt::format("Occupancy {:.0f} %", *occupancy);
  if (const auto registers = known(m, "registers")) {
    text += fmt::format(" with {:.0f} registers a thread", *registers);
  }
  if (issue) text += fmt::format("; {:.0f} % of issue slots are used", *issue);
  return text + ".";
}

std::string cache_sentence(const Measures& m) {
  const auto l1 = known(m, "l1_hit_pct"), l2 = known(m, "l2_hit_pct");
  if (!l1 || !l2) return "";
  return fmt::format("Hit rates: L1 {:.0f} %, L2 {:.0f} %.", *l1, *l2);
}

std::string access_sentence(const Measures& m) {
  constexpr double most_sectors = 16;  // 32 threads with 16 adjacent bytes each
  constexpr double few_conflicts = 0.2;
  std::string text;
  const auto sectors = known(m, "sectors_per_load"), conflicts = known(m, "bank_conflicts");
  if (sectors && *sectors > most_sectors + 1) {
    text = fmt::format("Global loads are not coalesced: {:.1f} sectors a request. ", *sectors);
  }
  if (conflicts && *conflicts > few_conflicts) {
    text += fmt::format("Shared memory has {:.1f} bank conflicts a request.", *conflicts);
  }
  if (text.ends_with(' ')) text.pop_back();
  return text;
}

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

std::string stall_metric(std::string_view reason) {
  return fmt::format("smsp__average_warps_issue_stalled_{}_per_issue_active.ratio", reason);
}

double sum_of(const std::vector<ProfiledLaunch>& launches, const std::string& name) {
  double sum = 0;
  for (const ProfiledLaunch& launch : launches) sum += value_in(launch.metrics, name).value_or(0);
  return sum;
}

/// Launches without a time have weight 1 ns, so that they count equally if no launch has a time.
std::optional<double> mean_of(const std::vector<ProfiledLaunch>& launches,
                              const std::string& name) {
  double sum = 0, weights = 0;
  for (const ProfiledLaunch& launch : launches) {
    const auto value = value_in(launch.metrics, name);
    if (!value) continue;
    const double weight = std::max(value_in(launch.metrics, time_metric).value_or(1), 1.0);
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
    measures[ncu_measure(fmt::format("{}{}", stall_prefix, reason))] = cycles;
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

std::vector<std::string> ncu_sentences(const std::map<std::string, double>& measures) {
  std::vector<std::string> sentences;
  for (std::string sentence :
       {limiter_sentence(measures), stall_sentence(measures), occupancy_sentence(measures),
        access_sentence(measures), cache_sentence(measures)}) {
    if (!sentence.empty()) sentences.push_back(std::move(sentence));
  }
  return sentences;
}

std::vector<std::string> ncu_metric_names() {
  std::vector<std::string> names{time_metric, registers_metric, conflicts_metric};
  names.insert(names.end(), std::begin(shared_metrics), std::end(shared_metrics));
  for (const Averaged& one : averaged) names.emplace_back(one.metric);
  for (const Stall& stall : stalls) names.push_back(stall_metric(stall.reason));
  return names;
}

std::map<std::string, double> ncu_measures(const std::vector<ProfiledLaunch>& launches) {
  Measures measures;
  for (const Averaged& one : averaged) {
    if (const auto mean = mean_of(launches, one.metric)) {
      measures[ncu_measure(one.measure)] = *mean;
    }
  }
  for (const ProfiledLaunch& launch : launches) {
    if (const auto registers = value_in(launch.metrics, registers_metric)) {
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
