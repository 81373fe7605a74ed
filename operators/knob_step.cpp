#include <algorithm>
#include <optional>

#include "operators/registry.hpp"
#include "operators/room_left.hpp"

namespace ke {
namespace {

constexpr int near_tries = 60;  ///< tries before more knobs move at once
constexpr int step_tries = 160;

/// Moves knobs to neighbouring values of their declared lists [Goldberg1989, sec. 3]: one knob, and
/// with probability `more` each time one more. Booleans flip; enums change to any other value,
/// since their order has no meaning. Skips points that the run has seen; when all near ones were
/// seen, moves more knobs at once. Needs one parent. Answers NoChild{nothing_to_vary} when the
/// kernel declares no knob with a choice, NoChild{constraints} when it found no admitted neighbour,
/// NoChild{all_seen} when it found no new one.
class KnobStep final : public Operator {
 public:
  explicit KnobStep(Params& params)
      : distance_(params.integer("distance", 2, {1, 8}, "largest step in list positions")),
        more_(params.real("more", 0.35, {0, 0.95}, "chance that one more knob moves")) {}

  int arity() const override { return 1; }
  bool stays_in_spaces() const override { return true; }
  bool can_start(const Context& context, const Candidate* first) const override {
    return has_room(first->space.get(), first->kernel, Genes::knobs, context);
  }

  Outcome start(std::span<const Parent> parents, const Context& context,
                RandomStream& random) const override {
    const Candidate& parent = *parents[0].candidate;
    const std::vector<FreeKnob> free = free_knobs(parent);
    if (free.empty()) return NoChild{"nothing_to_vary"};
    const KernelSpace& space = *parent.space;
    if (!space.declares(parent.kernel)) return NoChild{"constraints"};
    const Positions from = space.positions(parent.kernel);
    Positions to;
    std::optional<Kernel> child;   // created late: half of the starts in sparse spaces need none
    std::vector<Positions> known;  // near a good kernel the same points recur
    for (int i = 0; i < step_tries; ++i) {
      to = from;
      int further = std::max(0, (i - near_tries) / 20);
      do {
        const FreeKnob& knob = free[random.below(free.size())];
        move(knob, to[knob.index], random);
      } while (random.uniform() < more_ || further-- > 0);
      if (!space.admits(to) || to == from || std::ranges::count(known, to) > 0) continue;
      if (!child) child = parent.kernel;
      space.set(to, *child);
      const Digest hash = child->genome_hash();
      if (context.is_new(hash)) return HashedKernel(*std::move(child), hash);
      known.push_back(to);
    }
    return NoChild{known.empty() ? "constraints" : "all_seen"};
  }

 private:
  /// A knob with a choice, with the data that a try needs.
  struct FreeKnob {
    std::size_t index;   ///< index in the space
    std::int64_t last;   ///< last position in its list
    std::int64_t reach;  ///< maximum distance of one move, in positions
  };

  std::vector<FreeKnob> free_knobs(const Candidate& parent) const {
    std::vector<FreeKnob> free;
    if (!parent.space) return free;
    free.reserve(parent.space->knobs.size());
    for (std::size_t k = 0; k < parent.space->knobs.size(); ++k) {
      const Knob& knob = parent.space->knobs[k];
      const auto last = static_cast<std::int64_t>(knob.values.size()) - 1;
      if (last > 0)
        free.push_back({k, last, knob.kind == KnobKind::integer ? distance_ : last + 1});
    }
    return free;
  }

  static void move(const FreeKnob& knob, std::uint16_t& position, RandomStream& random) {
    const std::int64_t at = position;
    const std::int64_t low = std::max<std::int64_t>(0, at - knob.reach);
    const std::int64_t high = std::min(knob.last, at + knob.reach);
    auto drawn =
        low + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(high - low)));
    if (drawn >= at) ++drawn;
    position = static_cast<std::uint16_t>(drawn);
  }

  std::int64_t distance_;
  double more_;
};

}  // namespace

std::unique_ptr<Operator> make_knob_step_operator(Params& params) {
  return std::make_unique<KnobStep>(params);
}

}  // namespace ke
