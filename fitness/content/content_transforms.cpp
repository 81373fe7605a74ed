// Derives new contents from a known one by exact rotation, power-of-two scales and signs.

#include <algorithm>
#include <cmath>

#include "fitness/content/content_pool.hpp"

namespace ke {
namespace {

constexpr std::int64_t largest_shift = 3;  // scales of 2^-3 .. 2^3: far from the ends of the range
constexpr std::int64_t largest_common_shift = 40;  // products of elements may leave the range

/// Whether every element times 2^`shift` is exact and far from overflow.
bool exact(const Magnitudes& range, std::int64_t shift, Dtype dtype) {
  if (range.most == 0) return true;
  const double factor = std::ldexp(1.0, static_cast<int>(shift));
  const FloatFormat format = format_of(dtype);
  return range.most * factor < format.largest / 16 &&
         (shift >= 0 || range.least * factor >= format.least_normal);
}

}  // namespace

FreshContent ContentPool::transformed(std::shared_ptr<const Content> entry) {
  FreshContent fresh = untransformed(std::move(entry));
  rotate(fresh);
  scale(fresh, {&fresh.entry, 1});
  return fresh;
}

void ContentPool::rotate(FreshContent& fresh) {
  for (std::size_t axis = 0; axis < fresh.rotation.size(); ++axis) {
    fresh.rotation[axis] = static_cast<std::int64_t>(
        random_->below(static_cast<std::uint64_t>(shapes_->permuted[axis])));
  }
  // An unchanging input cannot follow a rotation of its axis.
  for (std::size_t t = 0; t < shapes_->inputs; ++t) {
    if (task_->tensors[t].changes) continue;
    for (const int axis : shapes_->tensors[t].rotated_by) {
      if (axis >= 0) fresh.rotation[static_cast<std::size_t>(axis)] = 0;
    }
  }
}

// The scale must be exact for all contents that share it.
void ContentPool::scale(FreshContent& fresh, std::span<const std::shared_ptr<const Content>> all) {
  for (std::size_t t = 0; t < shapes_->inputs; ++t) {
    const TensorSpec& spec = task_->tensors[t];
    if (!spec.changes || !is_float(spec.dtype)) continue;
    const auto factors_of = [&](const std::vector<ScaleRule>& rules, double base) {
      std::vector<double> factors;  // per output; empty when no rule names this input
      for (const ScaleRule& rule : rules) {
        if (rule.input == spec.name)
          factors.push_back(std::pow(base, static_cast<double>(rule.degree)));
      }
      return factors;
    };
    const std::int64_t shift = random_shift(largest_shift);
    const double power = std::ldexp(1.0, static_cast<int>(shift));
    auto effect = factors_of(task_->scale_rules, power);
    const auto exact_for = [&](const std::shared_ptr<const Content>& entry) {
      bool fits = exact(entry->magnitudes[t], shift, spec.dtype);
      for (std::size_t o = 0; o < effect.size(); ++o) {
        const double largest = entry->facts[o].largest;
        const double beyond = format_of(task_->tensors[shapes_->inputs + o].dtype).largest / 16;
        fits = fits && largest * std::abs(fresh.output_factors[o]) * effect[o] < beyond;
      }
      return fits;
    };
    const bool fits = !effect.empty() && std::ranges::all_of(all, exact_for);
    const auto apply = [&](double factor, const std::vector<double>& effects) {
      fresh.input_factors[t] *= static_cast<float>(factor);
      for (std::size_t o = 0; o < effects.size(); ++o) fresh.output_factors[o] *= effects[o];
    };
    if (fits) apply(power, effect);
    effect = factors_of(task_->sign_rules, -1);
    if (!effect.empty() && random_->below(2) == 0) apply(-1, effect);
  }
  if (!task_->scaled_together.empty()) scale_together(fresh, all);
}

void ContentPool::scale_together(FreshContent& fresh,
                                 std::span<const std::shared_ptr<const Content>> all) {
  const std::int64_t shift = random_shift(largest_common_shift);
  std::vector<std::size_t> inputs;
  for (std::size_t t = 0; t < shapes_->inputs; ++t) {
    if (is_scaled_together(t)) inputs.push_back(t);
  }
  for (const std::size_t t : inputs) {
    const auto exact_for = [&](const std::shared_ptr<const Content>& entry) {
      return exact(entry->magnitudes[t], shift, task_->tensors[t].dtype);
    };
    if (!std::ranges::all_of(all, exact_for)) return;
  }
  for (const std::size_t t : inputs)
    fresh.input_factors[t] *= std::ldexp(1.0F, static_cast<int>(shift));
}

bool ContentPool::is_scaled_together(std::size_t input) const {
  return std::ranges::count(task_->scaled_together, task_->tensors[input].name) > 0;
}

std::int64_t ContentPool::random_shift(std::int64_t largest) {
  return static_cast<std::int64_t>(random_->below(2 * static_cast<std::uint64_t>(largest) + 1)) -
         largest;
}

}  // namespace ke
