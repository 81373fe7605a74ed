#include <algorithm>
#include <cmath>
#include <optional>

#include "core/portable_math.hpp"
#include "operators/draw_new.hpp"
#include "operators/registry.hpp"
#include "operators/surrogate/encoding.hpp"
#include "operators/surrogate/extra_trees.hpp"

namespace ke {
namespace {

/// Standard normal density and distribution [Abramowitz1964, 26.2.17], error below 1e-7, the same
/// on every machine.
double density(double z) { return 0.3989422804014327 * portable_exp(-0.5 * z * z); }
double distribution(double z) {
  const double t = 1 / (1 + 0.2316419 * std::abs(z));
  const double poly =
      t *
      (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const double tail = density(z) * poly;
  return z > 0 ? 1 - tail : tail;
}

/// E[max(0, Y - best)] of Y ~ N(mean, deviation) [Jones1998].
double expected_improvement(const ExtraTrees::Prediction& prediction, double best) {
  const double deviation = std::max(prediction.deviation, 1e-6);
  const double z = (prediction.mean - best) / deviation;
  return std::max(0.0, deviation * (z * distribution(z) + density(z)));
}

/// Judged kernels of one source, with ln f as what is to be learned.
struct Observations {
  const Candidate* best = nullptr;
  std::vector<const Candidate*> kernels;
  std::vector<double> targets;
};

/// Those of the source that holds the best kernel. A failed kernel counts as the worst one.
Observations observe(std::span<const CandidatePtr> judged) {
  Observations all;
  const auto works = [](const Candidate& c) {
    return c.evaluation.verdict == Verdict::ok && c.evaluation.objective > 0 && c.space;
  };
  for (const auto& candidate : judged) {
    if (!works(*candidate)) continue;
    const bool first = all.best == nullptr;
    if (first || candidate->evaluation.objective > all.best->evaluation.objective) {
      all.best = candidate.get();
    }
  }
  if (all.best == nullptr) return all;
  double worst = portable_log(all.best->evaluation.objective);
  for (const auto& candidate : judged) {
    if (candidate->kernel.source != all.best->kernel.source) continue;
    all.kernels.push_back(candidate.get());
    const double gain =
        works(*candidate) ? portable_log(candidate->evaluation.objective) : HUGE_VAL;
    all.targets.push_back(gain);
    worst = std::min(worst, gain);
  }
  for (double& target : all.targets) target = target == HUGE_VAL ? worst : target;
  return all;
}

/// Proposes the kernel of largest merit among a pool: random points of the best kernel's space and
/// all kernels that differ from one of the `local` best in one knob or flag. Merit is the expected
/// improvement of ln f [Jones1998], or its upper confidence bound, mean + optimism x deviation. The
/// model are extremely randomised trees [Geurts2006] over all judged kernels of the island, as in
/// SMAC [Hutter2011] with its random forest. Before `initial` kernels were judged it draws points
/// at random. Needs no parents. Answers NoChild{no_seeds}, NoChild{constraints} or
/// NoChild{all_seen}.
class Surrogate final : public Operator {
 public:
  explicit Surrogate(Params& params)
      : initial_(count(params, "initial", 15, {2, 100'000}, "kernels drawn at random first")),
        pool_(count(params, "pool", 200, {1, 100'000}, "random points that contend")),
        local_(count(params, "local", 5, {0, 1000}, "best kernels whose neighbours contend")),
        options_{count(params, "trees", 10, {1, 1000}, "trees of the model"),
                 params.real("features", 1, {0.01, 1}, "share of the inputs tried at a split"),
                 count(params, "min_leaf", 1, {1, 1000}, "least kernels in a leaf")},
        by_bound_(params.choice("merit", "bound", {"bound", "improvement"},
                                "confidence bound, or expected improvement") == "bound"),
        optimism_(params.real("optimism", 1.5, {0, 100}, "bound: weight of the deviation")) {}

  int arity() const override { return 0; }
  bool stays_in_spaces() const override { return true; }
  bool learns() const override { return true; }

  Outcome start(std::span<const Parent>, const Context& context,
                RandomStream& random) const override {
    if (context.seeds.empty()) return NoChild{"no_seeds"};
    if (context.judged.size() < initial_) return draw_new(context, random);
    const Observations known = observe(context.judged);
    if (known.best == nullptr) return draw_new(context, random);
    return best_of(pool(known, random), known, context, random);
  }

 private:
  static std::size_t count(Params& params, std::string_view name, std::int64_t fallback,
                           Range<std::int64_t> range, std::string_view doc) {
    return static_cast<std::size_t>(params.integer(name, fallback, range, doc));
  }

  std::vector<Kernel> pool(const Observations& known, RandomStream& random) const {
    const KernelSpace& space = *known.best->space;
    std::vector<Kernel> kernels;
    for (std::size_t i = 0; i < pool_; ++i) {
      auto kernel = space.sample(known.best->kernel, random);
      if (kernel) kernels.push_back(*std::move(kernel));
    }
    std::vector<std::size_t> order(known.kernels.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return known.targets[a] > known.targets[b];
    });
    for (std::size_t i = 0; i < std::min(local_, order.size()); ++i) {
      append_neighbours(space, known.kernels[order[i]]->kernel, kernels);
    }
    return kernels;
  }

  static void append_neighbours(const KernelSpace& space, const Kernel& kernel,
                                std::vector<Kernel>& kernels) {
    for (const Knob& knob : space.knobs) {
      Kernel neighbour = kernel;
      for (const std::string& value : knob.values) {
        neighbour.knobs[knob.name] = value;
        if (value != kernel.knobs.at(knob.name) && space.admits(neighbour)) {
          kernels.push_back(neighbour);
        }
      }
    }
    for (std::size_t g = 0; g < space.flag_genes.size(); ++g) {
      Kernel neighbour = kernel;
      for (const std::string& flag : space.flag_genes[g].alternatives) {
        neighbour.flags[g] = flag;
        if (flag != kernel.flags[g]) kernels.push_back(neighbour);
      }
    }
  }

  double merit(const ExtraTrees::Prediction& prediction, double best) const {
    return by_bound_ ? prediction.mean + optimism_ * prediction.deviation
                     : expected_improvement(prediction, best);
  }

  Outcome best_of(const std::vector<Kernel>& kernels, const Observations& known,
                  const Context& context, RandomStream& random) const {
    const Encoding encoding(*known.best->space);
    std::vector<double> rows;
    for (const Candidate* candidate : known.kernels) encoding.append(candidate->kernel, rows);
    const ExtraTrees model(rows, known.targets, options_, random);
    const double best = *std::max_element(known.targets.begin(), known.targets.end());
    std::vector<std::pair<double, std::size_t>> ranked;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      std::vector<double> row;
      encoding.append(kernels[i], row);
      ranked.emplace_back(-merit(model.predict(row), best), i);
    }
    std::sort(ranked.begin(), ranked.end());
    for (const auto& [unused, i] : ranked) {
      const Digest hash = kernels[i].genome_hash();
      if (context.is_new(hash)) return HashedKernel(kernels[i], hash);
    }
    return kernels.empty() ? Outcome(NoChild{"constraints"}) : draw_new(context, random);
  }

  std::size_t initial_;
  std::size_t pool_;
  std::size_t local_;
  ExtraTrees::Options options_;
  bool by_bound_;
  double optimism_;
};

}  // namespace

std::unique_ptr<Operator> make_surrogate_operator(Params& params) {
  return std::make_unique<Surrogate>(params);
}

}  // namespace ke
