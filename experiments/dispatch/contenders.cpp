#include "experiments/dispatch/contenders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "experiments/dispatch/choose.hpp"
#include "experiments/run/evaluators/cpu.hpp"

namespace ke {
namespace {

// least gain of one more kernel, in the mean over shapes
constexpr double min_gain = 0.01;

std::string refusal(const std::string& origin, const Fact& fact) {
  return fmt::format("{}: {} {}", origin, to_string(fact.verdict), fact.reason);
}

class Gathering {
 public:
  explicit Gathering(MeasuringBench& bench) : bench_(bench) {}

  Result<void> add(const Kernel& kernel, const std::string& origin) {
    KE_TRY(const Fact built, bench_.build(kernel));
    if (built.verdict != Verdict::ok) {
      all_.refused.push_back(refusal(origin, built));
    } else if (builds_.insert(built.build_hash).second) {
      const auto& flags = built.policy_flags;
      const bool prepares = std::ranges::find(flags, "prepares") != flags.end();
      add_built({kernel, origin, built.build_hash, prepares});
    }
    return {};
  }

  const Contenders& so_far() const { return all_; }
  Contenders take() { return std::move(all_); }

 private:
  /// Adds a contender, with its code if it is launched.
  void add_built(Contender contender) {
    if (bench_.codes() != nullptr) {
      auto codes = bench_.codes()->make(contender.kernel, contender.build);
      if (!codes) {
        all_.refused.push_back(contender.origin + ": " + codes.error().message);
        return;
      }
      contender.codes = *std::move(codes);
    }
    all_.list.push_back(std::move(contender));
  }

  MeasuringBench& bench_;
  Contenders all_;
  std::set<Digest> builds_;
};

using Row = std::vector<SpeedupFigure>;

Row anchors_row(std::size_t shapes) { return Row(shapes, SpeedupFigure{1, {1, 1}, ""}); }

Labels deciding_labels(const Task& task) {
  Labels labels;
  for (const Workload& shape : deciding_workloads(task)) labels.push_back(shape.label);
  return labels;
}

/// Figures of a contender over the anchor that runs know; speedup 0 where they know none.
Row known_row(const Contender& one, const Contender& anchor, const Labels& shapes,
              const KnownFigures& known, bool stands_in) {
  Row row;
  for (const std::string& shape : shapes) {
    const auto figure = known.screened(one.build, shape);
    const auto base = known.screened(anchor.build, shape);
    if (!figure || (stands_in && !base)) {
      row.emplace_back();
    } else {
      row.push_back(stands_in ? ratio(*figure, *base) : SpeedupFigure(*figure));
    }
  }
  return row;
}

Labels missing(const Row& row, const Labels& shapes) {
  Labels labels;
  for (std::size_t s = 0; s < shapes.size(); ++s) {
    if (row[s].speedup <= 0) labels.push_back(shapes[s]);
  }
  return labels;
}

/// Adds a contender with its row, or the reason for refusing it.
void add_measured(const Contender& contender, const Fact& fact, Row row, Contenders& to) {
  const bool whole =
      std::ranges::all_of(row, [](const SpeedupFigure& one) { return one.speedup > 0; });
  if (fact.verdict != Verdict::ok || !whole) {
    to.refused.push_back(refusal(contender.origin, fact));
    return;
  }
  to.list.push_back(contender);
  to.table.push_back(std::move(row));
}

/// Weight of a shape without one of its own: that of the bench shapes in the mean.
double usual_weight(const Task& task) {
  double sum = 0, count = 0;
  for (const Workload& workload : task.workloads) {
    if (workload.role != Role::bench) continue;
    sum += task.mean.weight(workload.label);
    ++count;
  }
  return sum / count;
}

}  // namespace

ShapeMean shape_mean(const Task& task, const Contenders& timed) {
  ShapeMean mean{task.mean, {}};
  // A shape whose time is unknown counts as one of middle length.
  double sum = 0, known = 0;
  for (const double ns : timed.anchor_ns) {
    sum += ns;
    known += ns > 0 ? 1 : 0;
  }
  const double middle = known > 0 ? sum / known : 1, usual = usual_weight(task);
  for (const Workload& shape : deciding_workloads(task)) {
    const std::size_t at = mean.parts.size();
    const bool own = shape.role == Role::bench || task.mean.weights.contains(shape.label);
    const double ns = at < timed.anchor_ns.size() ? timed.anchor_ns[at] : 0;
    mean.parts.push_back((own ? task.mean.weight(shape.label) : usual) * (!task.mean.total_time ? 1
                                                                          : ns > 0              ? ns
                                                                                   : middle));
  }
  return mean;
}

Result<Contenders> gather(MeasuringBench& bench, const std::vector<PoolKernel>& pool) {
  Gathering gathering(bench);
  KE_TRY(const Subject subject, subject_of(bench.task_ptr()));
  for (const Seed& seed : subject.seeds) {
    KE_TRY_VOID(
        gathering.add(seed.kernel, fmt::format("task {}, {}", subject.name, seed.kernel.name)));
    if (!gathering.so_far().list.empty()) continue;
    return Error{Failure::device,
                 "cannot be part of a library here: " + gathering.so_far().refused.front()};
  }
  for (const PoolKernel& one : pool) KE_TRY_VOID(gathering.add(one.kernel, one.origin));
  return gathering.take();
}

Result<Contenders> screened(MeasuringBench& bench, Contenders all, const KnownFigures& known,
                            bool stands_in, const Tell& tell) {
  const Labels shapes = deciding_labels(bench.task());
  Contenders measured{{all.anchor()},
                      {anchors_row(shapes.size())},
                      std::move(all.refused),
                      std::vector<double>(shapes.size())};
  for (std::size_t i = 1; i < all.list.size(); ++i) {
    const Contender& one = all.list[i];
    Row row = known_row(one, all.anchor(), shapes, known, stands_in);
    const Labels unknown = missing(row, shapes);
    Fact fact;
    fact.verdict = Verdict::ok;
    if (!unknown.empty()) {
      tell(fmt::format("kernel {} of {} at {} of {} shapes", i, all.list.size() - 1, unknown.size(),
                       shapes.size()));
      KE_TRY(fact, bench.screen(one.kernel, one.build, unknown));
    }
    for (std::size_t s = 0; s < shapes.size(); ++s) {
      double& anchor_ns = measured.anchor_ns[s];
      if (row[s].speedup <= 0) {
        const TimedFigure figure = figure_at(fact, shapes[s]);
        row[s] = figure;
        if (anchor_ns == 0) anchor_ns = figure.opponent_ns;
      } else if (anchor_ns == 0) {
        const Digest& timed = stands_in ? all.anchor().build : one.build;
        const auto figure = known.screened(timed, shapes[s]);
        anchor_ns = stands_in ? figure->kernel_ns : figure->opponent_ns;
      }
    }
    add_measured(one, fact, std::move(row), measured);
  }
  return measured;
}

Result<Contenders> compared(MeasuringBench& bench, const Contenders& all, std::size_t most,
                            const Kernel& champion, const Tell& tell) {
  const Labels shapes = deciding_labels(bench.task());
  Contenders few{{all.anchor()}, {anchors_row(shapes.size())}, all.refused, all.anchor_ns};
  std::vector<std::size_t> chosen =
      choose_few(all.table, shape_mean(bench.task(), all), most, min_gain);
  for (std::size_t i = 1; i < all.list.size(); ++i) {
    const bool is_champion = all.list[i].kernel.genome_hash() == champion.genome_hash();
    if (is_champion && std::ranges::find(chosen, i) == chosen.end()) chosen.push_back(i);
  }
  for (const std::size_t i : chosen) {
    const Contender& one = all.list[i];
    tell(fmt::format("{} against {}, {} shapes", one.origin, all.anchor().origin, shapes.size()));
    KE_TRY(const Fact fact,
           bench.duel(one.kernel, one.build, all.anchor().kernel, all.anchor().build, shapes));
    Row row;
    for (std::size_t s = 0; s < shapes.size(); ++s) {
      const TimedFigure figure = figure_at(fact, shapes[s]);
      row.push_back(figure);
      if (figure.opponent_ns > 0) few.anchor_ns[s] = figure.opponent_ns;
    }
    add_measured(one, fact, std::move(row), few);
  }
  return few;
}

}  // namespace ke
