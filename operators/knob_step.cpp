#include <algorithm>

#include "operators/registry.hpp"

namespace ke {
namespace {

constexpr int near_tries = 60;  ///< before more knobs move at once
constexpr int step_tries = 160;

/// Moves knobs to neighbouring values of their declared lists [Goldberg1989, sec. 3]: one knob, and
/// with probability `more` each time one more. Booleans flip; enums jump to any other value, since
/// their order means nothing. What the run has seen is passed over; when all that is near was seen,
/// more knobs move at once. Needs one parent. Answers NoChild{nothing_to_vary} when the kernel
/// declares no knob with a choice, NoChild{constraints} when no admitted neighbour was met,
/// NoChild{all_seen} when no new one was.
class KnobStep final : public Operator {
 public:
  explicit KnobStep(Params& params)
      : distance_(params.integer("distance", 2, {1, 8}, "largest step in list positions")),
        more_(params.real("more", 0.35, {0, 0.95}, "chance that one more knob moves")) {}

  int arity() const override { return 1; }

  Outcome start(std::span<const Parent> parents, const Context& context,
                RandomStream& random) const override {
    const Candidate& parent = *parents[0].candidate;
    std::vector<const Knob*> free;
    if (parent.space) {
      for (const Knob& knob : parent.space->knobs) {
        if (knob.values.size() > 1) free.push_back(&knob);
      }
    }
    if (free.empty()) return NoChild{"nothing_to_vary"};
    bool met_any = false;
    Kernel child = parent.kernel;  // its source is copied once, not for each try
    for (int i = 0; i < step_tries; ++i) {
      child.knobs = parent.kernel.knobs;
      int further = std::max(0, (i - near_tries) / 20);
      do {
        move(*free[random.below(free.size())], child, random);
      } while (random.uniform() < more_ || further-- > 0);
      if (child.knobs == parent.kernel.knobs || !parent.space->admits(child)) continue;
      if (context.is_new(child)) return child;
      met_any = true;
    }
    return NoChild{met_any ? "all_seen" : "constraints"};
  }

 private:
  void move(const Knob& knob, Kernel& kernel, RandomStream& random) const {
    std::string& value = kernel.knobs[knob.name];
    const auto at = static_cast<std::int64_t>(knob.index_of(value));
    const auto count = static_cast<std::int64_t>(knob.values.size());
    const std::int64_t reach = knob.kind == KnobKind::integer ? distance_ : count;
    const std::int64_t low = std::max<std::int64_t>(0, at - reach);
    const std::int64_t high = std::min(count - 1, at + reach);
    auto drawn =
        low + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(high - low)));
    if (drawn >= at) ++drawn;
    value = knob.values[static_cast<std::size_t>(drawn)];
  }

  std::int64_t distance_;
  double more_;
};

}  // namespace

std::unique_ptr<Operator> make_knob_step_operator(Params& params) {
  return std::make_unique<KnobStep>(params);
}

}  // namespace ke
