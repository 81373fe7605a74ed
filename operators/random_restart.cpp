#include "operators/registry.hpp"
#include "operators/room_left.hpp"

namespace ke {
namespace {

/// Random search without replacement, by draw_new. Needs no parent.
class RandomRestart final : public Operator {
 public:
  int arity() const override { return 0; }
  bool stays_in_spaces() const override { return true; }
  bool can_start(const Context& context, const Candidate*) const override {
    return has_room(context.seeds, context);
  }
  Outcome start(std::span<const Parent>, const Context& context,
                RandomStream& random) const override {
    return draw_new(context, random);
  }
};

}  // namespace

std::unique_ptr<Operator> make_random_restart_operator(Params&) {
  return std::make_unique<RandomRestart>();
}

}  // namespace ke
