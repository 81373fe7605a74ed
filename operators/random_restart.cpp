#include "operators/draw_new.hpp"
#include "operators/registry.hpp"

namespace ke {
namespace {

/// Random search without replacement: draw_new. Needs no parent.
class RandomRestart final : public Operator {
 public:
  int arity() const override { return 0; }
  bool stays_in_spaces() const override { return true; }
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
