#include "fitness/content/variation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

#include "fitness/content/content_pool.hpp"
#include "fitness/content/generate.hpp"

namespace ke {
namespace {

constexpr std::string_view ascending_classes[] = {"sorted", "clustered", "steps", "tiny_sorted"};
constexpr std::string_view signed_classes[] = {"normal", "wide",    "large",   "huge", "tiny",
                                               "grid",   "nan_inf", "shifted", "vast"};
constexpr std::string_view varied_classes[] = {"normal", "wide",      "large", "positive", "grid",
                                               "sorted", "clustered", "steps", "uniform"};
constexpr double growth = 2;  // of lines, beyond the largest magnitude of their class
constexpr double round_numbers[] = {0, 0.5, 1, 2, 3, 6, -0.5, -1, -2, -3, -6};
constexpr std::int64_t round_integers[] = {0,   1,     -1,    127,   128,  255,
                                           256, 32767, 32768, 65535, 65536};

bool is_one_of(std::span<const std::string_view> list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

bool varies(const std::string& input_class) { return is_one_of(varied_classes, input_class); }

/// Adds the task's own numbers to a list until half of it is theirs.
template <typename T, typename Add>
void add_often(const std::vector<double>& own, const std::vector<T>& list, Add add) {
  const std::size_t others = list.size();
  for (std::size_t added = 0; added <= others && !own.empty(); added += own.size()) {
    std::ranges::for_each(own, add);
  }
}

int digits_of(Dtype dtype) {
  return 1 - static_cast<int>(std::lround(std::log2(format_of(dtype).epsilon)));
}

}  // namespace

bool all_ascend(const std::vector<std::string>& classes) {
  return std::ranges::all_of(
      classes, [](const std::string& name) { return is_one_of(ascending_classes, name); });
}

bool can_vary(const std::vector<std::string>& classes) {
  return std::ranges::any_of(classes, varies);
}

const std::string& class_to_vary(const std::vector<std::string>& classes, SecretRandom& random) {
  std::vector<const std::string*> list;
  for (const std::string& name : classes) {
    if (varies(name)) list.push_back(&name);
  }
  if (list.empty()) return classes.front();
  return *list[random.below(2) == 0 ? 0 : random.below(list.size())];
}

FloatRules float_rules(const TensorSpec& input, const std::vector<double>& others) {
  FloatRules rules;
  for (const std::string& name : input.classes) {
    if (varies(name)) rules.most = std::max(rules.most, largest_of(name, input.dtype));
  }
  rules.most *= growth * input.scale;
  rules.digits = digits_of(input.dtype);
  if (input.dtype == Dtype::float16) rules.deepest = 8;  // its normal numbers end at 2^-14
  rules.ascending = all_ascend(input.classes);
  rules.positive = !rules.ascending && std::ranges::none_of(input.classes, [](const auto& name) {
    return is_one_of(signed_classes, name) || is_one_of(ascending_classes, name);
  });
  rules.equals = rules.ascending || std::ranges::count(input.classes, "constant") > 0;
  rules.avoid = input.avoid;
  const auto add = [&](double value) {
    const bool allowed = std::abs(value) <= rules.most && (value > 0 || !rules.positive);
    if (allowed) rules.numbers.push_back(value);
  };
  std::ranges::for_each(round_numbers, add);
  std::ranges::for_each(others, add);
  add_often(input.numbers, rules.numbers, add);
  return rules;
}

IntRules int_rules(const TensorSpec& input, std::int64_t high) {
  IntRules rules{.low = input.range_low, .high = high, .numbers = {}, .avoid = input.avoid};
  const auto add = [&](std::int64_t value) {
    if (value >= rules.low && value < rules.high) rules.numbers.push_back(value);
  };
  std::ranges::for_each(round_integers, add);
  add_often(input.numbers, rules.numbers, [&](double value) {
    if (std::abs(value) < 0x1p62) add(std::llround(value));
  });
  return rules;
}

// --- ContentPool ---

/// Gives every input lines of kinds of its own; one time in three, inputs of equal shape get lines
/// that are alike.
void ContentPool::vary(Content& content) {
  content.label += ", varied";
  const SecretRandom::Seed seed{random_->bits(), random_->bits(), random_->bits(), random_->bits()};
  const bool alike = random_->below(3) == 0;
  SecretRandom kinds(seed);
  // Those that ascend first: inputs that are compared with them take values that are still there.
  std::vector<std::size_t> order(shapes_->inputs);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_partition(order.begin(), order.end(),
                        [&](auto t) { return all_ascend(task_->tensors[t].classes); });
  for (const std::size_t t : order) {
    const TensorSpec& spec = task_->tensors[t];
    const bool fixed = !spec.changes && !unchanging_anew_;
    if (fixed || shapes_->tensors[t].elements == 0 || !can_vary(spec.classes)) continue;
    if (alike) kinds = SecretRandom(seed);
    is_int(spec.dtype) ? vary_ints_of(content, t, kinds) : vary_floats_of(content, t, kinds);
    separate_unchanging(content, t);
  }
}

void ContentPool::vary_floats_of(Content& content, std::size_t input, SecretRandom& kinds) {
  const TensorSpec& spec = task_->tensors[input];
  std::vector<double> values = widened_all(spec.dtype, content.inputs[input]);
  const std::vector<double> others = elsewhere(content, input);
  const FloatRules rules = float_rules(spec, others);
  vary_floats(values, shapes_->tensors[input].dims, rules, kinds, *random_);
  // Inputs that are compared with each other share elements often.
  if (is_scaled_together(input) && !rules.ascending && !others.empty() && random_->below(4) > 0) {
    for (std::size_t i = random_->below(4); i < values.size(); i += 1 + random_->below(8)) {
      values[i] = others[random_->below(others.size())];
    }
  }
  leave_out_subnormals(*task_, spec.dtype, values);
  narrow_all(spec.dtype, std::span<const double>(values), content.inputs[input].data());
}

void ContentPool::vary_ints_of(Content& content, std::size_t input, SecretRandom& kinds) {
  const TensorSpec& spec = task_->tensors[input];
  std::byte* const tensor = content.inputs[input].data();
  std::vector<std::int64_t> values(static_cast<std::size_t>(shapes_->tensors[input].elements));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = int_at(spec.dtype, tensor, i);
  const IntRules rules = int_rules(spec, shapes_->range_high[input]);
  const auto& dims = shapes_->tensors[input].dims;
  spec.dtype == Dtype::boolean ? vary_bools(values, dims, rules, kinds, *random_)
                               : vary_ints(values, dims, rules, kinds, *random_);
  for (std::size_t i = 0; i < values.size(); ++i) put_int(spec.dtype, tensor, i, values[i]);
  put_marks(spec, static_cast<std::size_t>(dims.back()), *random_, content.inputs[input]);
}

}  // namespace ke
