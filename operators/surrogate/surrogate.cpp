#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/portable_math.hpp"
#include "operators/registry.hpp"
#include "operators/room_left.hpp"
#include "operators/surrogate/extra_trees.hpp"
#include "operators/surrogate/sources.hpp"

namespace ke {
namespace {

double density(double z) { return 0.3989422804014327 * portable_exp(-0.5 * z * z); }

double distribution(double z) {
  const double t = 1 / (1 + 0.2316419 * std::abs(z));
  const double poly =
      t *
      (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const double tail = density(z) * poly;
  return z > 0 ? 1 - tail : tail;
}

/// E[max(0, Y - best)] for Y ~ N(mean, deviation) [Jones1998]. Equal on every machine, with an
/// error below 1e-7 in the normal distribution [Abramowitz1964, 26.2.17].
double expected_improvement(const ExtraTrees::Prediction& prediction, double best) {
  const double deviation = std::max(prediction.deviation, 1e-6);
  const double z = (prediction.mean - best) / deviation;
  return std::max(0.0, deviation * (z * distribution(z) + density(z)));
}

constexpr int last_tries = 200;  ///< random points when all of the pool was seen

/// Distance of two points, summed over genes: the difference of positions relative to the list's
/// length; 1 for different enumeration values or flags, whose order has no meaning.
double distance(const KernelSpace& space, const Kernel& a, const Kernel& b) {
  const Positions from = space.positions(a);
  const Positions to = space.positions(b);
  double sum = 0;
  for (std::size_t k = 0; k < from.size(); ++k) {
    const bool ordered = space.knobs[k].kind == KnobKind::integer;
    const auto last = static_cast<double>(space.knobs[k].values.size() - 1);
    const double steps = std::abs(static_cast<double>(from[k]) - static_cast<double>(to[k]));
    sum += steps == 0 ? 0 : ordered ? steps / last : 1;
  }
  for (std::size_t g = 0; g < a.flags.size(); ++g) sum += a.flags[g] == b.flags[g] ? 0 : 1;
  return sum;
}

/// Proposes the kernel with the largest merit among a pool: random points of one source's space and
/// all kernels that differ from one of the `local` best of that source in one knob or flag. Merit
/// is the expected improvement of ln f [Jones1998], or its upper confidence bound, mean + optimism
/// x deviation. A source's model consists of extremely randomised trees [Geurts2006] over its
/// judged kernels of the island, similar to SMAC [Hutter2011] with its random forest.
///   sources: all   tunes the source of largest promise (sources.hpp) among those with points left.
///                  The first `spread` points of a source after its first are chosen without its
///                  model: each is the pool's farthest from all known points. An island with one
///                  source draws `initial` points at random first.
///   sources: best  tunes the source of the best kernel; draws random points of seed kernels until
///                  `initial` kernels were judged.
/// Omits values that never passed (never_passed.hpp) from the pool while others remain. Needs no
/// parents; the child's record names the best kernel of its source as inspiration. Answers
/// NoChild{no_seeds}, NoChild{constraints} or NoChild{all_seen}.
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
        optimism_(params.real("optimism", 1.5, {0, 100}, "bound: weight of the deviation")),
        all_(params.added("best").choice("sources", "all", {"all", "best"},
                                         "which kernel sources are tuned") == "all"),
        spread_(count(params.added("4"), "spread", 4, {0, 1000},
                      "sources: all: far points of a new source before its model is asked")),
        exploration_(params.added("0.2").real("exploration", 0.2, {0, 100},
                                              "sources: all: weight of little-tried sources")),
        avoid_(count(params.added("0"), "avoid", 3, {0, 1000},
                     "failures after which a value that never passed is left out; 0 = never")),
        without_seeds_(params.added("false").flag(
            "without_seeds", true, "tunes drafts where a search started from no kernel")) {}

  int arity() const override { return 0; }
  bool stays_in_spaces() const override { return true; }
  bool learns() const override { return true; }

  bool can_start(const Context& context, const Candidate*) const override {
    return has_room(context.seeds, context) ||
           choose(points_by_source(context.judged), {}, context) != nullptr;
  }

  std::vector<Parent> own_parents(const Context& context) const override {
    if (!all_) return {};
    const auto sources = points_by_source(context.judged);
    const SourcePoints* source = choose(sources, {}, context);
    if (source == nullptr) return {};
    for (const CandidatePtr& known : context.judged) {
      if (known.get() == source->best) return {{known, ParentRole::inspiration}};
    }
    return {};
  }

  Outcome start(std::span<const Parent> parents, const Context& context,
                RandomStream& random) const override {
    if (context.seeds.empty() && !without_seeds_) return NoChild{"no_seeds"};
    const auto sources = points_by_source(context.judged);
    const bool alone = !all_ || (sources.size() < 2 && context.seeds.size() == 1);
    if (alone && context.judged.size() < initial_) return draw_new(context, random);
    const SourcePoints* source = choose(sources, parents, context);
    if (source == nullptr) return draw_new(context, random);
    const NeverPassed rule(*source->best->space, source->kernels, avoid_);
    const std::vector<Kernel> contenders = pool(*source, rule, random);
    const bool spreads = !alone && source->kernels.size() < std::min(initial_, 1 + spread_);
    const std::vector<std::size_t> order =
        spreads ? by_distance(contenders, *source) : by_merit(contenders, *source, random);
    for (const std::size_t i : order) {
      const Digest hash = contenders[i].genome_hash();
      if (context.is_new(hash)) return HashedKernel(contenders[i], hash);
    }
    if (contenders.empty()) return NoChild{"constraints"};
    return all_ ? any_new(*source, context, random) : draw_new(context, random);
  }

 private:
  static std::size_t count(Params& params, std::string_view name, std::int64_t fallback,
                           Range<std::int64_t> range, std::string_view doc) {
    return static_cast<std::size_t>(params.integer(name, fallback, range, doc));
  }

  /// The parent's source if there is a parent; else the next one to tune; null when none has room.
  const SourcePoints* choose(const std::vector<SourcePoints>& sources,
                             std::span<const Parent> parents, const Context& context) const {
    if (!all_) return leading_source(sources);
    for (const SourcePoints* source : by_promise(sources, exploration_)) {
      const Kernel& kernel = source->best->kernel;
      const bool wanted = parents.empty() ? has_room(source->best->space.get(), kernel,
                                                     Genes::knobs_and_flags, context)
                                          : kernel.source == parents[0].candidate->kernel.source;
      if (wanted) return source;
    }
    return nullptr;
  }

  std::vector<Kernel> pool(const SourcePoints& known, const NeverPassed& rule,
                           RandomStream& random) const {
    const KernelSpace& space = *known.best->space;
    std::vector<Kernel> kernels;
    for (std::size_t i = 0; i < pool_; ++i) {
      auto kernel = space.sample(known.best->kernel, random);
      if (kernel) kernels.push_back(*std::move(kernel));
    }
    const std::vector<std::size_t> order = falling(known.targets);
    for (std::size_t i = 0; i < std::min(local_, order.size()); ++i) {
      append_neighbours(space, known.kernels[order[i]]->kernel, kernels);
    }
    std::vector<Kernel> allowed;
    std::ranges::copy_if(kernels, std::back_inserter(allowed),
                         [&](const Kernel& kernel) { return rule.allows(kernel); });
    return allowed.empty() ? kernels : allowed;
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
      for (const std::string& value : space.flag_genes[g].alternatives) {
        neighbour.flags[g] = value;
        if (value != kernel.flags[g] && space.admits(neighbour)) kernels.push_back(neighbour);
      }
    }
  }

  /// Indices into `kernels`: the farthest from its nearest known point first.
  static std::vector<std::size_t> by_distance(const std::vector<Kernel>& kernels,
                                              const SourcePoints& known) {
    std::vector<double> distances;
    for (const Kernel& kernel : kernels) {
      double nearest = HUGE_VAL;
      for (const Candidate* point : known.kernels) {
        nearest = std::min(nearest, distance(*known.best->space, kernel, point->kernel));
      }
      distances.push_back(nearest);
    }
    return falling(distances);
  }

  /// Indices into `kernels`: the largest merit first.
  std::vector<std::size_t> by_merit(const std::vector<Kernel>& kernels, const SourcePoints& known,
                                    RandomStream& random) const {
    const Encoding encoding(*known.best->space);
    std::vector<double> rows;
    for (const Candidate* candidate : known.kernels) encoding.append(candidate->kernel, rows);
    const ExtraTrees model(rows, known.targets, options_, random);
    const double best = *std::ranges::max_element(known.targets);
    std::vector<double> merits;
    for (const Kernel& kernel : kernels) {
      std::vector<double> row;
      encoding.append(kernel, row);
      merits.push_back(merit(model.predict(row), best));
    }
    return falling(merits);
  }

  static std::vector<std::size_t> falling(const std::vector<double>& values) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) { return values[i]; });
    return order;
  }

  double merit(const ExtraTrees::Prediction& prediction, double best) const {
    return by_bound_ ? prediction.mean + optimism_ * prediction.deviation
                     : expected_improvement(prediction, best);
  }

  static Outcome any_new(const SourcePoints& known, const Context& context, RandomStream& random) {
    for (int i = 0; i < last_tries; ++i) {
      auto kernel = known.best->space->sample(known.best->kernel, random);
      if (!kernel) return NoChild{"constraints"};
      const Digest hash = kernel->genome_hash();
      if (context.is_new(hash)) return HashedKernel(*std::move(kernel), hash);
    }
    return NoChild{"all_seen"};
  }

  std::size_t initial_;
  std::size_t pool_;
  std::size_t local_;
  ExtraTrees::Options options_;
  bool by_bound_;
  double optimism_;
  bool all_;
  std::size_t spread_;
  double exploration_;
  std::size_t avoid_;
  bool without_seeds_;
};

}  // namespace

std::unique_ptr<Operator> make_surrogate_operator(Params& params) {
  return std::make_unique<Surrogate>(params);
}

}  // namespace ke
