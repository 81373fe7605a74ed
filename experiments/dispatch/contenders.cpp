#include "experiments/dispatch/contenders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "experiments/dispatch/choose.hpp"
#include "experiments/run/evaluators/cpu.hpp"

namespace ke {
namespace {

// least gain of one more kernel, in the geometric mean over shapes
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

std::vector<SpeedupFigure> anchors_row(std::size_t shapes) {
  return std::vector<SpeedupFigure>(shapes, SpeedupFigure{1, {1, 1}, ""});
}

/// Adds a contender with its row, or the reason for refusing it.
void add_measured(const Contender& contender, const Fact& fact, const std::vector<Workload>& shapes,
                  Contenders& to) {
  std::vector<SpeedupFigure> row;
  for (const Workload& shape : shapes) row.push_back(figure_at(fact, shape));
  const bool whole =
      std::ranges::all_of(row, [](const SpeedupFigure& one) { return one.speedup > 0; });
  if (fact.verdict != Verdict::ok || !whole) {
    to.refused.push_back(refusal(contender.origin, fact));
    return;
  }
  to.list.push_back(contender);
  to.table.push_back(std::move(row));
}

}  // namespace

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

Result<Contenders> screened(MeasuringBench& bench, Contenders all) {
  const std::vector<Workload> shapes = deciding_workloads(bench.task());
  Contenders measured{{all.anchor()}, {anchors_row(shapes.size())}, std::move(all.refused)};
  for (std::size_t i = 1; i < all.list.size(); ++i) {
    KE_TRY(const Fact fact, bench.screen(all.list[i].kernel, all.list[i].build));
    add_measured(all.list[i], fact, shapes, measured);
  }
  return measured;
}

Result<Contenders> verified(MeasuringBench& bench, const Contenders& all, std::size_t most,
                            const Kernel& champion) {
  const std::vector<Workload> shapes = deciding_workloads(bench.task());
  Contenders few{{all.anchor()}, {anchors_row(shapes.size())}, all.refused};
  std::vector<std::size_t> chosen = choose_few(all.table, most, min_gain);
  for (std::size_t i = 1; i < all.list.size(); ++i) {
    const bool is_champion = all.list[i].kernel.genome_hash() == champion.genome_hash();
    if (is_champion && std::ranges::find(chosen, i) == chosen.end()) chosen.push_back(i);
  }
  for (const std::size_t i : chosen) {
    const Contender& one = all.list[i];
    KE_TRY(const Fact fact, bench.verify(one.kernel, one.build, "anchor", {"bench", "validation"}));
    add_measured(one, fact, shapes, few);
  }
  return few;
}

}  // namespace ke
