#pragma once
// Numeric runs for tests and benchmarks: linear projections on a grid, set up like pyribs' sphere
// example.

#include <memory>

#include "core/numeric/numeric_search.hpp"
#include "core/numeric/numeric_strategy.hpp"
#include "fitness/function/numeric_problems.hpp"
#include "tests/support/function_run.hpp"
#include "tests/support/memory_history.hpp"

namespace ke::test {

enum class NumericKind { gaussian, line, cma_me, cma_mae };

struct NumericRun {
  NumericKind kind = NumericKind::gaussian;
  const char* problem = "sphere";
  std::size_t dimensions = 100;
  std::int64_t iterations = 1000;
  std::int64_t seed = 0;
  double sigma = 0.5;
  bool separable = false;
  std::shared_ptr<const Cells> cells = nullptr;  ///< null: 100 x 100 over the problem's ranges
};

inline std::shared_ptr<const Cells> square_grid(const NumericProblem& problem, std::uint32_t bins) {
  std::vector<EqualBins> axes;
  for (const MeasureRange& range : problem.measures())
    axes.push_back({range.low, range.high, bins});
  return std::make_shared<GridCells>(std::move(axes));
}

inline std::unique_ptr<Emitter> make_emitter(const NumericRun& run, const SearchSpace& space) {
  if (run.kind == NumericKind::gaussian) return make_gaussian_emitter(space, {540, run.sigma});
  if (run.kind == NumericKind::line) return make_line_emitter(space, {540, run.sigma, 0.2});
  StrategyEmitterOptions options{{36, run.sigma}, run.separable, ranking_of("2imp")};
  if (run.kind == NumericKind::cma_mae) {
    options.ranking = ranking_of("imp");
    options.selection = Selection::mu;
    options.restart = Restart::basic;
  }
  return make_strategy_emitter(space, options);
}

inline NumericPlan make_plan(const NumericRun& run) {
  NumericPlan plan;
  plan.header.seed = run.seed;
  plan.problem = make_numeric_problem(run.problem, run.dimensions);
  const SearchSpace space{run.dimensions, 0, plan.problem->low(), plan.problem->high()};
  const bool cma = run.kind == NumericKind::cma_me || run.kind == NumericKind::cma_mae;
  for (int i = 0; i < (cma ? 15 : 1); ++i) plan.emitters.push_back(make_emitter(run, space));
  const auto cells = run.cells ? run.cells : square_grid(*plan.problem, 100);
  const std::size_t m = plan.problem->measures().size();
  std::optional<SoftRule> soft;
  if (run.kind == NumericKind::cma_mae) {
    soft = SoftRule{0.01, 0};
    plan.result = std::make_unique<NumericArchive>(cells, run.dimensions, m);
  }
  plan.archive = std::make_unique<NumericArchive>(cells, run.dimensions, m, soft);
  plan.iterations = run.iterations;
  return plan;
}

struct NumericFigures {
  double coverage = 0;  ///< in per cent
  double norm_qd = 0;   ///< QD score over cells
  double best = 0;
};

inline NumericFigures run_to_end(const NumericRun& run) {
  MemoryHistory history;
  SearchObserver observer;
  const CountingStop never;
  NumericSearch search(make_plan(run), {history, observer, never, never});
  KE_CHECK(search.run());
  const double cells = static_cast<double>(search.elites().cells());
  return {100 * static_cast<double>(search.elites().filled()) / cells,
          search.elites().qd_score() / cells, search.elites().best()};
}

/// Mean normalised QD score over seeds 0 .. seeds - 1.
inline double mean_norm_qd(NumericRun run, int seeds) {
  double sum = 0;
  for (run.seed = 0; run.seed < seeds; ++run.seed) sum += run_to_end(run).norm_qd;
  return sum / seeds;
}

}  // namespace ke::test
