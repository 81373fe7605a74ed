#include "fitness/content/content_pool.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "fitness/content/generate.hpp"
#include "fitness/content/variation.hpp"
#include "fitness/timing/robust.hpp"

namespace ke {
namespace {

constexpr std::size_t least_entries = 3;
constexpr int edit_attempts = 8;
constexpr std::size_t bytes_of_objects = 2048;  // of one content beside its tensors
constexpr std::int64_t few_elements = 64;
constexpr int draws_for_scale = 5;  // per case
constexpr int draws_of_large_for_scale = 2;
constexpr int lent_elements = 8;  // of each input, to be elements of another one
constexpr double visible = 1e-3;  // relative change of an output that an edit should cause

bool is_nonfinite(const std::string& input_class) { return input_class.ends_with("nan_inf"); }

/// 1 or -1 where all elements have that sign, else 0.
int common_sign(Dtype dtype, std::span<const std::byte> input) {
  const std::vector<double> values = widened_all(dtype, input);
  if (std::ranges::all_of(values, [](double value) { return value > 0; })) return 1;
  return std::ranges::all_of(values, [](double value) { return value < 0; }) ? -1 : 0;
}

/// Approximate memory of a content: inputs, expected outputs in double precision, and a copy in
/// single precision or as integers.
std::size_t bytes_of(const Shapes& shapes) {
  std::size_t bytes = 0;
  for (std::size_t t = 0; t < shapes.tensors.size(); ++t) {
    const TensorShape& shape = shapes.tensors[t];
    bytes += t < shapes.inputs
                 ? static_cast<std::size_t>(shape.bytes)
                 : static_cast<std::size_t>(shape.elements) * (sizeof(double) + sizeof(float));
  }
  return std::max<std::size_t>(bytes, 1);
}

/// Whether some element differs from `before` by more than any kernel's rounding.
bool differs(const Content& content, const std::vector<std::vector<double>>& before) {
  const double scale = 4 * content.shapes->tolerance_factor * content.task->tolerance.scale;
  for (std::size_t o = 0; o < before.size(); ++o) {
    const OutputFacts& facts = content.facts[o];
    for (std::size_t i = 0; i < before[o].size(); ++i) {
      const double x = content.expected[o][i];
      const double y = before[o][i];
      if (x == y || (std::isnan(x) && std::isnan(y))) continue;
      const double error = std::abs(x - y);
      const double rounding = scale * facts.row_rms[i / static_cast<std::size_t>(facts.row)];
      if (!std::isfinite(error) || error > visible * std::max(std::abs(x), std::abs(y)) + rounding)
        return true;
    }
  }
  return false;
}

}  // namespace

ContentPool::ContentPool(const Task& task, std::shared_ptr<const Shapes> shapes,
                         const Reference& reference, SecretRandom& random)
    : task_(&task), shapes_(std::move(shapes)), reference_(&reference), random_(&random) {}

std::size_t ContentPool::cases(const Task& task) {
  std::size_t count = 1;
  for (const TensorSpec& spec : task.tensors) count = std::max(count, spec.classes.size());
  return count;
}

Result<ContentPool> ContentPool::of_one_case(const Task& task, const Workload& workload,
                                             const Reference& reference, SecretRandom& random) {
  const std::size_t drawn = random.below(2) == 0 ? varied_case : random.below(cases(task));
  const std::size_t one = workload.first_classes ? 0 : drawn;
  return create(task, workload, reference, random,
                {.entries = 1, .cases = {one}, .unchanging_anew = true});
}

Result<ContentPool> ContentPool::create(const Task& task, const Workload& workload,
                                        const Reference& reference, SecretRandom& random,
                                        const PoolOptions& options) {
  KE_CHECK(options.entries >= 1);
  KE_TRY(Shapes shapes, resolve_shapes(task, workload));
  ContentPool pool(task, std::make_shared<const Shapes>(std::move(shapes)), reference, random);
  pool.cases_ = options.cases;
  if (pool.cases_.empty()) {
    pool.cases_.resize(cases(task));
    std::iota(pool.cases_.begin(), pool.cases_.end(), std::size_t{0});
    for (std::size_t i = pool.cases_.size(); i > 2; --i) {
      std::swap(pool.cases_[i - 1], pool.cases_[1 + random.below(i - 1)]);
    }
  }
  pool.unchanging_anew_ = options.unchanging_anew;
  pool.inputs_only_ = options.inputs_only;
  pool.device_ = options.device;
  pool.unchanging_ = options.unchanging ? options.unchanging : pool.draw_unchanging(pool.cases_[0]);
  pool.site_ = reference_site(task, workload, *pool.shapes_);
  pool.next_edit_ = random.below(8);
  pool.next_any_ = random.below(64);
  pool.drawn_ = std::min(options.entries,
                         std::max(options.most_bytes / bytes_of(*pool.shapes_), least_entries));
  pool.learn_usual_rms();
  for (std::size_t i = 0; i < pool.drawn_; ++i) {
    pool.entries_.push_back(std::make_shared<const Content>(pool.draw(pool.next_case())));
    if (pool.problem_) return *pool.problem_;
  }
  for (std::size_t i = 0; i < std::min(options.twins, pool.drawn_); ++i) {
    pool.entries_.push_back(pool.edit_of(untransformed(pool.entries_[i])));
    if (pool.problem_) return *pool.problem_;
  }
  pool.made_ = true;
  return pool;
}

const std::string& ContentPool::class_in(std::size_t input, std::size_t case_index) {
  const std::vector<std::string>& classes = task_->tensors[input].classes;
  if (case_index == varied_case) return class_to_vary(classes, *random_);
  return classes[case_index < classes.size() ? case_index : 0];
}

std::shared_ptr<const Unchanging> ContentPool::draw_unchanging(std::size_t case_index) {
  Unchanging inputs(shapes_->inputs);
  bool any = false;
  for (std::size_t t = 0; t < shapes_->inputs; ++t) {
    if (task_->tensors[t].changes) continue;
    inputs[t] = draw_input(*task_, *shapes_, t, class_in(t, case_index), *random_);
    any = true;
  }
  return any ? std::make_shared<const Unchanging>(std::move(inputs)) : nullptr;
}

Content ContentPool::draw(std::size_t case_index) {
  if (unchanging_ && unchanging_anew_) unchanging_ = draw_unchanging(case_index);
  Content content;
  content.unchanging = unchanging_;
  content.task = task_;
  content.shapes = shapes_;
  for (std::size_t t = 0; t < shapes_->inputs; ++t) {
    const TensorSpec& spec = task_->tensors[t];
    const std::string& input_class = class_in(t, case_index);
    content.label += fmt::format("{}{}: {}", t == 0 ? "" : ", ", spec.name,
                                 spec.changes || unchanging_anew_ ? input_class : "unchanged");
    content.inputs.push_back(spec.changes ? draw_input(*task_, *shapes_, t, input_class, *random_)
                                          : (*unchanging_)[t]);
  }
  if (case_index == varied_case) vary(content);
  if (!inputs_only_) finish(content);
  return content;
}

/// An output of few elements is small when its terms happen to cancel, but its rounding errors are
/// not. So its tolerance uses at least the usual rms at its shape: the median over draws, for the
/// input class where that is least.
void ContentPool::learn_usual_rms() {
  std::int64_t most = 0;
  for (std::size_t t = shapes_->inputs; t < shapes_->tensors.size(); ++t) {
    most = std::max(most, shapes_->tensors[t].elements);
  }
  if (most >= few_elements || inputs_only_) return;
  const auto unchanging = unchanging_;
  std::vector<double> least(task_->tensors.size() - shapes_->inputs,
                            std::numeric_limits<double>::infinity());
  for (const std::size_t one_case : cases_) {
    std::vector<std::vector<double>> seen(least.size());
    const int draws = device_ == nullptr ? draws_for_scale : draws_of_large_for_scale;
    for (int i = 0; i < draws && !problem_; ++i) {
      // Varied contents may be small as a whole.
      const Content content = draw(one_case == varied_case ? 0 : one_case);
      for (std::size_t o = 0; o < seen.size(); ++o) {
        const auto& rms = content.facts[o].row_rms;
        seen[o].insert(seen[o].end(), rms.begin(), rms.end());
      }
    }
    if (problem_) return;
    for (std::size_t o = 0; o < seen.size(); ++o) {
      least[o] = std::min(least[o], median_of(seen[o]));
    }
  }
  unchanging_ = unchanging;
  usual_rms_ = std::move(least);
}

/// Calls the oracle and computes everything derived from inputs and expected outputs. When the
/// oracle fails, these are zeros that nobody may use: create fails, or all judging ends.
void ContentPool::finish(Content& content) {
  if (device_ != nullptr) return note(device_->answer(content, usual_rms_));
  content.reference = reference_;
  content.site = site_;
  content.room = std::make_shared<RoundingRoom>();
  content.magnitudes.assign(shapes_->inputs, {});
  content.expected.clear();
  content.integers.clear();
  for (std::size_t t = shapes_->inputs; t < task_->tensors.size(); ++t) {
    const auto elements = static_cast<std::size_t>(shapes_->tensors[t].elements);
    content.expected.emplace_back(elements);
    content.integers.emplace_back(is_int(task_->tensors[t].dtype) ? elements : 0);
  }
  note(ask_oracle(content));
  for (std::size_t t = content.drawn_most.size(); t < shapes_->inputs; ++t) {
    content.drawn_most.push_back(content.magnitudes[t].most);
  }
  content.facts.clear();
  for (std::size_t o = 0; o < content.expected.size(); ++o) {
    content.facts.push_back(
        facts_of(content.expected[o], shapes_->row, task_->tensors[shapes_->inputs + o].dtype));
    if (shapes_->one_scale) content.facts.back().raise_to_common_rms();
    if (!usual_rms_.empty()) content.facts.back().raise_to(usual_rms_[o]);
  }
}

void ContentPool::note(const Result<void>& answered) {
  if (answered) return;
  problem_ = answered.error();
  if (made_) reference_->give_up(*problem_);
}

Result<void> ContentPool::ask_oracle(Content& content) const {
  KE_TRY(const ReferenceTensors tensors, reference_->prepare(*task_, *shapes_));
  for (std::size_t t = 0; t < shapes_->inputs; ++t) {
    if (is_int(task_->tensors[t].dtype)) {
      std::memcpy(tensors.data[t], content.inputs[t].data(), tensors.bytes[t]);
      continue;
    }
    widen_all(task_->tensors[t].dtype, content.inputs[t], tensors.doubles(t));
    content.magnitudes[t] = magnitudes_of(tensors.doubles(t));
  }
  KE_TRY_VOID(reference_->run(*task_, *shapes_, tensors, site_));
  for (std::size_t o = 0; o < content.expected.size(); ++o) {
    const std::size_t t = shapes_->inputs + o;
    const Dtype dtype = task_->tensors[t].dtype;
    std::vector<double>& expected = content.expected[o];
    if (is_float(dtype)) {
      std::ranges::copy(tensors.doubles(t), expected.begin());
      continue;
    }
    std::vector<std::int64_t>& integers = content.integers[o];
    for (std::size_t i = 0; i < expected.size(); ++i) {
      integers[i] = int_at(dtype, tensors.data[t], i);
      expected[i] = static_cast<double>(integers[i]);
    }
  }
  tensors.process->release();
  return {};
}

FreshContent ContentPool::fresh() { return fresh(random_->below(entries_.size())); }

FreshContent ContentPool::fresh(std::size_t entry) {
  KE_CHECK(entry < entries_.size());
  return transformed(entries_[entry]);
}

FreshContent ContentPool::fresh_drawn() { return fresh(random_->below(drawn_)); }

FreshContent ContentPool::any() {
  const std::size_t at = next_any_++ % (entries_.size() + chain_.size());
  return transformed(at < entries_.size() ? entries_[at] : chain_[at - entries_.size()]);
}

void ContentPool::renew_edits(std::size_t edits) {
  // Edits of finite contents show at once; others may take several attempts, each an oracle call.
  const auto clear = [](const std::shared_ptr<const Content>& entry) {
    return std::ranges::all_of(entry->facts, [](const OutputFacts& facts) {
      return std::ranges::find(facts.clean, 0) == facts.clean.end();
    });
  };
  std::size_t from = random_->below(entries_.size());
  for (std::size_t i = 0; i < entries_.size() && !clear(entries_[from]); ++i) {
    from = (from + 1) % entries_.size();
  }
  chain_.assign(1, entries_[from]);
  while (chain_.size() <= edits) chain_.push_back(edit_of(untransformed(chain_.back())));
  if (editable(Edit::nan).empty()) return;
  const auto last = chain_.back();
  for (const Edit edit : {Edit::nan, Edit::infinity})
    chain_.push_back(edit_of(untransformed(last), edit));
}

std::vector<FreshContent> ContentPool::edit_chain() {
  if (chain_.empty()) return {};
  FreshContent common = untransformed(chain_.front());
  rotate(common);
  scale(common, chain_);
  std::vector<FreshContent> list(chain_.size(), common);
  for (std::size_t i = 0; i < list.size(); ++i) list[i].entry = chain_[i];
  if (random_->below(2) == 0) std::ranges::reverse(list);
  return list;
}

FreshContent ContentPool::new_draw(std::size_t case_index) {
  auto entry = std::make_shared<const Content>(draw(case_index));
  entries_[oldest_] = entry;
  oldest_ = (oldest_ + 1) % drawn_;
  return untransformed(std::move(entry));
}

FreshContent ContentPool::new_draw() { return new_draw(next_case()); }

void ContentPool::grow() {
  KE_CHECK(drawn_ == entries_.size());
  entries_.push_back(std::make_shared<const Content>(draw(next_case())));
  ++drawn_;
}

std::size_t ContentPool::bytes() const {
  return entries_.size() * (bytes_of(*shapes_) + bytes_of_objects);
}

std::size_t ContentPool::next_case() { return cases_[next_case_++ % cases_.size()]; }

void ContentPool::renew_twins(std::size_t case_index) {
  const std::size_t twins = entries_.size() - drawn_;
  if (twins == 0) return;
  entries_[oldest_twin_] = std::make_shared<const Content>(draw(case_index));
  entries_[drawn_ + oldest_twin_] = edit_of(untransformed(entries_[oldest_twin_]));
  oldest_twin_ = (oldest_twin_ + 1) % twins;
}

FreshContent ContentPool::varied() {
  return untransformed(std::make_shared<const Content>(draw(varied_case)));
}

/// The ends and some random elements of every other float input; if the input is scaled together
/// with others, of those only. Kernels often compare with the ends of another input wrongly.
std::vector<double> ContentPool::elsewhere(const Content& content, std::size_t input) {
  std::vector<double> list;
  for (std::size_t t = 0; t < shapes_->inputs; ++t) {
    if (t == input || shapes_->tensors[t].elements == 0 || !is_float(task_->tensors[t].dtype)) {
      continue;
    }
    if (is_scaled_together(input) && !is_scaled_together(t)) continue;
    const std::vector<double> values = widened_all(task_->tensors[t].dtype, content.inputs[t]);
    list.insert(list.end(), {values.front(), values.back()});
    for (int i = 0; i < lent_elements; ++i) list.push_back(values[random_->below(values.size())]);
  }
  return list;
}

/// A changed input with `changes: never` becomes a different unchanging input.
void ContentPool::separate_unchanging(Content& content, std::size_t input) const {
  if (task_->tensors[input].changes) return;
  Unchanging inputs = *content.unchanging;
  inputs[input] = content.inputs[input];
  content.unchanging = std::make_shared<const Unchanging>(std::move(inputs));
}

FreshContent ContentPool::edited(const FreshContent& base) { return untransformed(edit_of(base)); }

std::shared_ptr<const Content> ContentPool::edit_of(const FreshContent& base, Edit edit) {
  const auto before = expected_outputs(base);
  auto content = std::make_shared<Content>();
  for (int attempt = 0; attempt < edit_attempts; ++attempt) {
    content->task = task_;
    content->shapes = shapes_;
    content->label = base.entry->label;
    content->unchanging = base.entry->unchanging;
    if (!content->label.ends_with(", edited")) content->label += ", edited";
    content->inputs = written_inputs(base);
    content->drawn_most = base.entry->drawn_most;
    for (std::size_t t = 0; t < content->drawn_most.size(); ++t) {
      content->drawn_most[t] *= std::abs(double{base.input_factors[t]});
    }
    edit_one(*content, edit, attempt);
    finish(*content);
    // Some edits have no effect, such as one in a row that is NaN anyway.
    if (differs(*content, before)) break;
  }
  return content;
}

std::vector<std::size_t> ContentPool::editable(Edit edit) const {
  std::vector<std::size_t> list;
  for (std::size_t t = 0; t < shapes_->inputs; ++t) {
    const TensorSpec& spec = task_->tensors[t];
    const bool fits = edit == Edit::finite || std::ranges::any_of(spec.classes, is_nonfinite);
    const bool may_change = spec.changes || (unchanging_anew_ && edit == Edit::finite);
    if (may_change && fits) list.push_back(t);
  }
  return list;
}

void ContentPool::edit_one(Content& content, Edit edit, int attempt) {
  const std::vector<std::size_t> inputs = editable(edit);
  if (inputs.empty()) return;
  const std::size_t t = inputs[next_edit_++ % inputs.size()];  // in turn: a chain may be short
  const std::size_t at = edit_place(t);
  const Dtype dtype = task_->tensors[t].dtype;
  std::byte* const tensor = content.inputs[t].data();
  if (is_int(dtype)) {
    put_int(dtype, tensor, at, edited_int(t, int_at(dtype, tensor, at)));
  } else {
    using Limits = std::numeric_limits<double>;
    const double value = edit == Edit::finite ? edited_float(content, t, at, attempt)
                         : edit == Edit::nan
                             ? std::copysign(Limits::quiet_NaN(), attempt % 2 == 0 ? 1 : -1)
                             : Limits::infinity();
    narrow_all(dtype, std::span(&value, 1), tensor + at * bytes_of(dtype));
  }
  separate_unchanging(content, t);
}

/// Half of all edits lie near an end of a row, most often at the last element: a skipped remainder
/// of a large shape shows nowhere else in a sum.
std::size_t ContentPool::edit_place(std::size_t input) {
  const TensorShape& shape = shapes_->tensors[input];
  const std::size_t at = random_->below(static_cast<std::uint64_t>(shape.elements));
  const std::uint64_t kind = random_->below(8);
  if (kind < 4) return at;
  const auto row = static_cast<std::size_t>(shape.dims.back());
  const std::size_t first = at - at % row;
  const std::size_t near = std::min(random_->below(std::uint64_t{1} << random_->below(6)), row - 1);
  return kind == 4 ? first + near : first + row - 1 - near;
}

/// Another value of the range, if there is one; of a mark, any.
std::int64_t ContentPool::edited_int(std::size_t input, std::int64_t old) {
  const std::int64_t least = task_->tensors[input].range_low;
  if (old < least || old >= shapes_->range_high[input]) old = least;
  const auto low = static_cast<std::uint64_t>(least);
  const std::uint64_t range = static_cast<std::uint64_t>(shapes_->range_high[input]) - low;
  const std::uint64_t step = range == 1 ? 0 : 1 + random_->below(range - 1);
  const std::uint64_t from = static_cast<std::uint64_t>(old) - low;
  const std::uint64_t moved = step < range - from ? from + step : from - (range - step);
  return static_cast<std::int64_t>(low + moved);
}

double ContentPool::edited_float(const Content& content, std::size_t input, std::size_t at,
                                 int attempt) {
  const Dtype dtype = task_->tensors[input].dtype;
  const std::vector<std::string>& classes = task_->tensors[input].classes;
  if (all_ascend(classes)) {
    const std::vector<double> values = widened_all(dtype, content.inputs[input]);
    const auto row = static_cast<std::size_t>(shapes_->tensors[input].dims.back());
    const double unit = task_->tensors[input].scale;
    const double below = at % row == 0 ? values[at] - unit : values[at - 1];
    const double above = at % row == row - 1 ? values[at] + unit : values[at + 1];
    return below + (above - below) * random_->uniform();
  }
  if (attempt == 0 && is_scaled_together(input) && random_->below(2) == 0) {
    const std::vector<double> equals = elsewhere(content, input);
    if (!equals.empty()) return equals[random_->below(equals.size())];
  }
  // The new value is as large as the others, or a little larger than all, so that right kernels
  // round as usual. Only if that shows nowhere, as in a sum of millions, it is far larger. It never
  // grows with earlier edits.
  const double most = content.drawn_most[input] == 0 ? 1 : content.drawn_most[input];
  constexpr double growth[] = {0.25, 1.25, 64, 4096};
  const double factor = growth[std::min<std::size_t>(static_cast<std::size_t>(attempt), 3)];
  const double size = std::min(most * factor * (1 + random_->uniform()), format_of(dtype).largest);
  // Keeps the sign if all elements share it, so that sums do not cancel.
  const int common = common_sign(dtype, content.inputs[input]);
  const bool negative = common == 0 ? random_->below(2) == 0 : common < 0;
  return negative ? -size : size;
}

}  // namespace ke
