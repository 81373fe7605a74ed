#include "core/strategies/choose.hpp"

namespace ke {

const OperatorChoice* draw_operator(std::span<const OperatorChoice> operators,
                                    std::size_t available, RandomStream& random) {
  std::vector<double> weights;
  double sum = 0;
  for (const auto& choice : operators) {
    const bool served = static_cast<std::size_t>(choice.arity) <= available;
    weights.push_back(served ? choice.weight : 0);
    sum += weights.back();
  }
  return sum > 0 ? &operators[random.weighted(weights)] : nullptr;
}

std::optional<Proposal> opening(const IslandView& view, RandomStream& random) {
  const auto step = static_cast<std::size_t>(view.step);
  if (step < view.seeds) return Proposal{"seed_source", {}};
  if (!view.archive.elites().empty()) return std::nullopt;
  const OperatorChoice* choice = draw_operator(view.operators, 0, random);
  return Proposal{choice == nullptr ? "seed_source" : choice->name, {}};
}

}  // namespace ke
