#include "experiments/view/report/data/credit.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <set>

#include "core/search/migration.hpp"
#include "experiments/study/statistics.hpp"
#include "experiments/text/json.hpp"
#include "operators/llm/similarity.hpp"

namespace ke {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

bool is_ok(const CandidateRow& c) { return c.verdict == "ok" && std::isfinite(c.objective); }

/// Highest objective of each candidate's ok parents, else of its ok inspirations: a tuner's child
/// has no parent. NaN if there are none, and for kernels from another device, because their parent
/// was measured there.
std::vector<double> best_parents(const RunRows& rows) {
  std::vector<double> best(rows.candidates.size(), nothing), inspired = best;
  for (const ParentRow& p : rows.parents) {
    const CandidateRow& parent = rows.candidates[static_cast<std::size_t>(p.parent)];
    const auto child = static_cast<std::size_t>(p.child);
    if (rows.candidates[child].operator_name == migration_operator) continue;
    if (p.role == "failed" || !is_ok(parent)) continue;
    double& own = (p.role == "parent" ? best : inspired)[child];
    own = std::fmax(own, parent.objective);
  }
  for (std::size_t i = 0; i < best.size(); ++i) {
    if (std::isnan(best[i])) best[i] = inspired[i];
  }
  return best;
}

std::set<std::int64_t> common_elites(const RunRows& rows) {
  std::set<std::int64_t> elites;
  for (const ArchiveEventRow& e : rows.events) {
    const bool entered = e.status == "new_cell" || e.status == "improved";
    if (e.island == -1 && entered) elites.insert(e.challenger);
  }
  return elites;
}

void count_kernel(const CandidateRow& c, double best_parent, Credit& credit) {
  const bool ok = is_ok(c);
  credit.ok += ok ? 1 : 0;
  if (ok) credit.best = std::fmax(credit.best, c.objective);
  if (std::isnan(best_parent)) return;
  ++credit.tried;
  credit.improved += ok && c.objective > best_parent ? 1 : 0;
}

/// Counts added lines of children whose source differs from their first parent's.
class LineCounter {
 public:
  explicit LineCounter(const RunRows& rows) : rows_(rows), parents_(rows.candidates.size()) {
    for (const ParentRow& p : rows.parents) {
      parents_[static_cast<std::size_t>(p.child)].push_back(static_cast<std::size_t>(p.parent));
    }
  }

  LineReuse count(std::size_t child) {
    const std::int64_t own = source_of(child);
    if (own < 0 || parents_[child].empty()) return {};
    const std::size_t parent = parents_[child].front();
    const std::int64_t base = source_of(parent);
    if (base < 0 || base == own) return {};
    return line_reuse(lines_of(own), lines_of(base), lines_above(parent));
  }

 private:
  std::int64_t source_of(std::size_t candidate) const {
    const std::int64_t genome = rows_.candidates[candidate].genome;
    return genome < 0 ? -1 : rows_.genomes[static_cast<std::size_t>(genome)].source;
  }

  const LineSet& lines_of(std::int64_t source) {
    const auto [place, is_new] = lines_.try_emplace(source);
    if (is_new) place->second = line_set(rows_.sources[static_cast<std::size_t>(source)]);
    return place->second;
  }

  /// Lines of all ancestors of a candidate.
  LineSet lines_above(std::size_t candidate) {
    LineSet lines;
    std::set<std::size_t> seen;
    std::vector<std::size_t> open = parents_[candidate];
    while (!open.empty()) {
      const std::size_t one = open.back();
      open.pop_back();
      if (!seen.insert(one).second) continue;
      if (source_of(one) >= 0) {
        const LineSet& own = lines_of(source_of(one));
        lines.insert(own.begin(), own.end());
      }
      open.insert(open.end(), parents_[one].begin(), parents_[one].end());
    }
    return lines;
  }

  const RunRows& rows_;
  std::vector<std::vector<std::size_t>> parents_;
  std::map<std::int64_t, LineSet> lines_;
};

using NameOf = std::function<std::string(std::size_t)>;  // "" = not counted

std::map<std::string, Credit> credit_by(const RunRows& rows, const NameOf& name_of) {
  const auto parents = best_parents(rows);
  const auto elites = common_elites(rows);
  std::map<std::string, Credit> credits;
  LineCounter lines(rows);
  double record = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < rows.candidates.size(); ++i) {
    const CandidateRow& c = rows.candidates[i];
    const bool kernel = c.outcome == "kernel";
    const bool is_record = kernel && is_ok(c) && c.objective > record;
    if (is_record) record = c.objective;
    const std::string name = name_of(i);
    if (name.empty()) continue;
    Credit& credit = credits.try_emplace(name, Credit{.best = nothing}).first->second;
    ++credit.proposals;
    credit.no_child += c.outcome == "no_child" ? 1 : 0;
    credit.duplicates += c.outcome == "duplicate" ? 1 : 0;
    credit.elites += elites.contains(static_cast<std::int64_t>(i)) ? 1 : 0;
    credit.records += is_record ? 1 : 0;
    if (!kernel) continue;
    count_kernel(c, parents[i], credit);
    const LineReuse reuse = lines.count(i);
    credit.added_lines += reuse.added;
    credit.reintroduced_lines += reuse.reintroduced;
  }
  return credits;
}

Json reintroduced_share(const Credit& credit) {
  if (credit.added_lines == 0) return nullptr;
  return static_cast<double>(credit.reintroduced_lines) / static_cast<double>(credit.added_lines);
}

Json rate_of(const Credit& credit) {
  if (credit.tried == 0) return nullptr;
  const Interval interval = statistics::wilson_interval(credit.improved, credit.tried);
  const double rate = static_cast<double>(credit.improved) / static_cast<double>(credit.tried);
  return {rate, interval.low, interval.high};
}

}  // namespace

std::map<std::string, Credit> credit_by_operator(const RunRows& rows) {
  return credit_by(rows, [&](std::size_t i) { return rows.candidates[i].operator_name; });
}

std::map<std::string, Credit> credit_by_model(const RunRows& rows) {
  std::map<std::size_t, std::string> models;
  for (const ExchangeRow& x : rows.exchanges) {
    if (x.candidate >= 0) models.emplace(static_cast<std::size_t>(x.candidate), x.model);
  }
  return credit_by(rows, [&](std::size_t i) {
    const auto found = models.find(i);
    return found == models.end() ? std::string() : found->second;
  });
}

Json credit_json(const std::map<std::string, Credit>& credits) {
  return column(credits, [](const auto& row) {
    const auto& [name, c] = row;
    return Json{{"name", name},
                {"proposals", c.proposals},
                {"no_child", c.no_child},
                {"duplicates", c.duplicates},
                {"ok", c.ok},
                {"tried", c.tried},
                {"improved", c.improved},
                {"elites", c.elites},
                {"records", c.records},
                {"best", number(c.best)},
                {"added_lines", c.added_lines},
                {"reintroduced", reintroduced_share(c)},
                {"rate", rate_of(c)}};
  });
}

}  // namespace ke
