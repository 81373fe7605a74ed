#include "experiments/study/summary/device_summary.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/study/statistics.hpp"
#include "experiments/study/summary/run_summary.hpp"
#include "experiments/text/table.hpp"

namespace ke {
namespace {

constexpr std::size_t fewest_pairs = 3;  ///< two points always correlate perfectly or not at all

/// Correct kernels of one pair of devices: their objectives on both, in the same order.
struct Pair {
  TransferSummary summary;
  std::vector<double> from;
  std::vector<double> to;
};

void add(const TransferRow& row, Pair& pair) {
  TransferSummary& summary = pair.summary;
  ++summary.offered;
  if (!row.ok) return;
  ++summary.correct;
  summary.filled += row.entry == "new_cell" ? 1 : 0;
  summary.better += row.entry == "improved" ? 1 : 0;
  pair.from.push_back(row.from_objective);
  pair.to.push_back(row.to_objective);
}

Pair& pair_of(const TransferRow& row, std::vector<Pair>& pairs) {
  for (Pair& pair : pairs) {
    if (pair.summary.from == row.from && pair.summary.to == row.to) return pair;
  }
  Pair& pair = pairs.emplace_back();
  pair.summary.from = row.from;
  pair.summary.to = row.to;
  return pair;
}

std::string figure_of(const ChampionSummary& champion, const std::string& role,
                      const std::string& baseline) {
  const auto figures = champion.verified.find(role);
  if (figures == champion.verified.end()) return "-";
  const auto figure = figures->second.find(baseline);
  return figure == figures->second.end() ? "-" : figure_text(figure->second);
}

std::string champions_table(const RunSummary& run) {
  Table table({"device", "evaluations", "best seen", "champion", "against anchor", "against naive",
               "holdout, against naive"});
  for (const DeviceSummary& device : run.devices) {
    const auto& champion = device.champion;
    table.add({device.record.name, fmt::format("{}", device.evaluations),
               device.best > 0 ? objective_text(device.best, device.base) : "-",
               champion ? champion->id.text() : "none",
               champion ? figure_of(*champion, "bench", "anchor") : "-",
               champion ? figure_of(*champion, "bench", "naive") : "-",
               champion ? figure_of(*champion, "holdout", "naive") : "-"});
  }
  return table.text();
}

std::string transfers_table(const RunSummary& run) {
  Table table(
      {"from", "to", "offered", "correct", "first of their cell", "better", "rank correlation"});
  for (const TransferSummary& t : run.transfers) {
    table.add({t.from, t.to, fmt::format("{}", t.offered), fmt::format("{}", t.correct),
               fmt::format("{}", t.filled), fmt::format("{}", t.better),
               t.rank_correlation ? fmt::format("{:.2f}", *t.rank_correlation) : "-"});
  }
  return table.text();
}

}  // namespace

Result<std::vector<DeviceSummary>> summarise_devices(const RunReader& reader,
                                                     const std::optional<StopRecord>& stop) {
  KE_TRY(const auto records, recorded_devices(reader));
  KE_TRY(const auto work, work_of_devices(reader));
  KE_TRY(const RunHeader header, reader.header());
  std::vector<DeviceSummary> devices;
  for (std::size_t d = 0; d < records.size(); ++d) {
    DeviceSummary device{records[d],
                         work[d].evaluations,
                         work[d].best,
                         objective_base(records[d].info.kind, header),
                         {}};
    if (stop && d < stop->device_champions.size() && stop->device_champions[d]) {
      KE_TRY(device.champion, read_champion(reader, *stop->device_champions[d]));
    }
    devices.push_back(std::move(device));
  }
  return devices;
}

Result<std::vector<TransferSummary>> summarise_transfers(const RunReader& reader) {
  KE_TRY(const auto rows, transfers(reader));
  std::vector<Pair> pairs;
  for (const TransferRow& row : rows) add(row, pair_of(row, pairs));
  std::vector<TransferSummary> summaries;
  for (Pair& pair : pairs) {
    if (pair.from.size() >= fewest_pairs) {
      pair.summary.rank_correlation = statistics::rank_correlation(pair.from, pair.to);
    }
    summaries.push_back(std::move(pair.summary));
  }
  return summaries;
}

std::string devices_text(const RunSummary& run) {
  if (run.devices.empty()) return "";
  std::string text = champions_table(run);
  if (!run.transfers.empty()) text += transfers_table(run);
  return text;
}

}  // namespace ke
