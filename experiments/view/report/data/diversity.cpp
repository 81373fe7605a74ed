#include "experiments/view/report/data/diversity.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "core/portable_math.hpp"
#include "core/result.hpp"
#include "experiments/text/json.hpp"
#include "operators/llm/similarity.hpp"

namespace ke {

double descriptor_spread(std::span<const std::vector<double>> points) {
  double sum = 0;
  std::size_t pairs = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      KE_CHECK(points[i].size() == points[j].size());
      double square = 0;
      for (std::size_t d = 0; d < points[i].size(); ++d) {
        square += (points[i][d] - points[j][d]) * (points[i][d] - points[j][d]);
      }
      sum += std::sqrt(square);  // IEEE requires exact rounding, so equal on every machine
      ++pairs;
    }
  }
  return pairs == 0 ? 0 : sum / static_cast<double>(pairs);
}

double cell_entropy(std::span<const std::int64_t> counts, std::size_t cells) {
  double total = 0;
  for (const std::int64_t count : counts) total += static_cast<double>(count);
  if (total == 0 || cells < 2) return 0;
  double entropy = 0;
  for (const std::int64_t count : counts) {
    if (count == 0) continue;
    const double share = static_cast<double>(count) / total;
    entropy -= share * portable_log(share);
  }
  return entropy / portable_log(static_cast<double>(cells));
}
namespace {

constexpr std::size_t most_sources = 1000;

}  // namespace

const std::vector<std::uint64_t>& CodeDistances::shingles_of(std::int64_t source) {
  const auto [at, is_new] = shingles_.try_emplace(source);
  if (is_new) at->second = shingles(sources_[static_cast<std::size_t>(source)]);
  return at->second;
}

double CodeDistances::between(std::int64_t a, std::int64_t b) {
  if (a == b) return 0;
  const auto [at, is_new] = known_.try_emplace(std::minmax(a, b));
  if (is_new) at->second = 1 - similarity(shingles_of(a), shingles_of(b));
  return at->second;
}

double CodeDistances::mean(const std::map<std::int64_t, std::int64_t>& counts) {
  if (counts.size() > most_sources) return std::numeric_limits<double>::quiet_NaN();
  double sum = 0;
  double kernels = 0;
  for (auto a = counts.begin(); a != counts.end(); ++a) {
    kernels += static_cast<double>(a->second);
    for (auto b = std::next(a); b != counts.end(); ++b) {
      sum += static_cast<double>(a->second * b->second) * between(a->first, b->first);
    }
  }
  return kernels < 2 ? 0 : sum / (kernels * (kernels - 1) / 2);
}

namespace {

constexpr std::int64_t most_curve_points = 60;
constexpr std::size_t most_elites = 1000;  // above this, distances of all pairs take too long

/// Centre of a cell, each axis scaled to [0, 1].
std::vector<double> centre_of(std::int64_t cell, const std::vector<AxisShape>& axes) {
  std::vector<double> point(axes.size());
  for (std::size_t i = axes.size(); i-- > 0;) {
    const auto bins = static_cast<std::int64_t>(axes[i].bins.size());
    point[i] = (static_cast<double>(cell % bins) + 0.5) / static_cast<double>(bins);
    cell /= bins;
  }
  return point;
}

/// Replays the archive from its events.
class Playback {
 public:
  Playback(const RunRows& rows, const std::vector<AxisShape>& axes)
      : rows_(rows), axes_(axes), distances_(rows.sources) {}

  void go_to(std::int64_t step_index) {
    for (; event_ < rows_.events.size(); ++event_) {
      const ArchiveEventRow& e = rows_.events[event_];
      if (e.step_index > step_index) break;
      const bool entered = e.status == "new_cell" || e.status == "improved";
      if (e.island == -1 && entered) elites_[e.cell] = e.challenger;
    }
    for (; candidate_ < rows_.candidates.size(); ++candidate_) {
      const CandidateRow& c = rows_.candidates[candidate_];
      if (c.step_index > step_index) break;
      if (c.cell >= 0) ++visits_[c.cell];
    }
  }

  double entropy() const {
    std::vector<std::int64_t> counts;
    for (const auto& [cell, count] : visits_) counts.push_back(count);
    return cell_entropy(counts, cells_of(axes_));
  }
  double spread() const {
    if (elites_.size() > most_elites) return std::numeric_limits<double>::quiet_NaN();
    std::vector<std::vector<double>> points;
    for (const auto& [cell, elite] : elites_) points.push_back(centre_of(cell, axes_));
    return descriptor_spread(points);
  }
  double code() {
    std::map<std::int64_t, std::int64_t> counts;  // number of elites per source
    for (const auto& [cell, elite] : elites_) {
      const auto genome = static_cast<std::size_t>(candidate_of(elite).genome);
      ++counts[rows_.genomes[genome].source];
    }
    return distances_.mean(counts);
  }
  std::size_t binaries() const {
    std::set<std::int64_t> builds;
    for (const auto& [cell, elite] : elites_) builds.insert(candidate_of(elite).build);
    return builds.size();
  }

 private:
  const CandidateRow& candidate_of(std::int64_t row) const {
    return rows_.candidates[static_cast<std::size_t>(row)];
  }

  const RunRows& rows_;
  const std::vector<AxisShape>& axes_;
  CodeDistances distances_;
  std::size_t event_ = 0;
  std::size_t candidate_ = 0;
  std::map<std::int64_t, std::int64_t> elites_;  // cell -> candidate
  std::map<std::int64_t, std::int64_t> visits_;  // cell -> candidates
};

}  // namespace

std::vector<DiversityPoint> diversity_points(const RunRows& rows,
                                             const std::vector<AxisShape>& axes) {
  std::vector<DiversityPoint> list;
  if (axes.empty() || rows.events.empty()) return list;
  const std::int64_t points = std::min(most_curve_points, rows.steps);
  Playback archive(rows, axes);
  for (std::int64_t i = 1; i <= points; ++i) {
    const std::int64_t step_index = i * rows.steps / points - 1;
    archive.go_to(step_index);
    list.push_back(
        {step_index, archive.entropy(), archive.spread(), archive.code(), archive.binaries()});
  }
  return list;
}

Json diversity_columns(const RunRows& rows, const std::vector<AxisShape>& axes) {
  using Point = DiversityPoint;
  const auto points = diversity_points(rows, axes);
  if (points.empty()) return nullptr;
  return {{"step_index", column(points, &Point::step_index)},
          {"entropy", column(points, [](const Point& p) { return number(p.entropy); })},
          {"spread", column(points, [](const Point& p) { return number(p.spread); })},
          {"code", column(points, [](const Point& p) { return number(p.code); })},
          {"binaries", column(points, &Point::binaries)}};
}

}  // namespace ke
