#include "fitness/landscape/problem.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/codec.hpp"
#include "core/expression.hpp"

namespace ke {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// The recorded points as a space.
class RecordedPoints final : public PointSet {
 public:
  explicit RecordedPoints(std::shared_ptr<const Landscape> landscape)
      : landscape_(std::move(landscape)) {}
  bool contains(std::span<const std::uint16_t> positions) const override {
    return landscape_->find(positions).has_value();
  }
  void draw(Kernel& kernel, RandomStream& random) const override {
    const auto& parameters = landscape_->parameters();
    const auto levels = landscape_->levels(random.below(landscape_->points().size()));
    for (std::size_t p = 0; p < parameters.size(); ++p) {
      kernel.knobs[parameters[p].knob.name] = parameters[p].knob.values[levels[p]];
    }
  }

 private:
  std::shared_ptr<const Landscape> landscape_;
};

/// Distance of a point from the middle of all lists, as a fraction of each list.
double distance_from_middle(const Landscape& landscape, std::size_t point) {
  double sum = 0;
  const auto levels = landscape.levels(point);
  for (std::size_t p = 0; p < levels.size(); ++p) {
    const auto last = static_cast<double>(landscape.parameters()[p].knob.values.size() - 1);
    if (last > 0) sum += std::abs(static_cast<double>(levels[p]) / last - 0.5);
  }
  return sum;
}

std::size_t middle_point(const Landscape& landscape) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < landscape.points().size(); ++i) {
    if (distance_from_middle(landscape, i) < distance_from_middle(landscape, best)) best = i;
  }
  return best;
}

/// Mean relative position of the varying parameters with indices [from, to).
double mean_position(const Landscape& landscape, const std::vector<std::size_t>& varied,
                     std::size_t from, std::size_t to, std::size_t point) {
  double sum = 0;
  for (std::size_t i = from; i < to; ++i) {
    const auto last = static_cast<double>(landscape.parameters()[varied[i]].knob.values.size() - 1);
    sum += static_cast<double>(landscape.levels(point)[varied[i]]) / last;
  }
  return to > from ? sum / static_cast<double>(to - from) : 0;
}

std::vector<std::size_t> varied_parameters(const Landscape& landscape) {
  std::vector<std::size_t> varied;
  for (std::size_t p = 0; p < landscape.parameters().size(); ++p) {
    if (landscape.parameters()[p].knob.values.size() > 1) varied.push_back(p);
  }
  return varied;
}

/// A parameter's value in expressions: its integer, or else the position of its value.
std::optional<std::int64_t> number_at(const Landscape& landscape, std::size_t point,
                                      std::string_view name) {
  const auto& parameters = landscape.parameters();
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    if (parameters[p].knob.name != name) continue;
    return parameters[p].knob.number(parameters[p].knob.values[landscape.levels(point)[p]]);
  }
  return std::nullopt;
}

Error unknown(const Landscape& landscape, const LandscapeDescriptor& descriptor,
              std::string_view name) {
  std::vector<std::string> names = landscape.measures();
  for (const auto& parameter : landscape.parameters()) names.push_back(parameter.knob.name);
  return {
      Failure::config,
      fmt::format("device.descriptors: {} = '{}': '{}' is nothing of {}; it has {}",
                  descriptor.name, descriptor.of, name, landscape.name(), fmt::join(names, ", "))};
}

/// The descriptor's value at every point.
Result<std::vector<double>> values_of(const Landscape& landscape,
                                      const LandscapeDescriptor& descriptor) {
  const auto& recorded = landscape.measures();
  const auto at = std::find(recorded.begin(), recorded.end(), descriptor.of);
  std::vector<double> values(landscape.points().size(), nan);
  if (at != recorded.end()) {
    const auto measure = static_cast<std::size_t>(at - recorded.begin());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = landscape.measure(i, measure);
    return values;
  }
  const auto expression = Expression::parse(descriptor.of);
  if (!expression) return unknown(landscape, descriptor, descriptor.of);
  for (const std::string& name : expression->names()) {
    if (!number_at(landscape, 0, name)) return unknown(landscape, descriptor, name);
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto value =
        expression->evaluate([&](std::string_view name) { return number_at(landscape, i, name); });
    if (value) values[i] = static_cast<double>(*value);
  }
  return values;
}

}  // namespace

Result<std::shared_ptr<const LandscapeProblem>> LandscapeProblem::make(
    std::shared_ptr<const Landscape> landscape, LandscapeOptions options) {
  std::shared_ptr<LandscapeProblem> made(new LandscapeProblem());
  made->landscape_ = std::move(landscape);
  made->options_ = std::move(options);
  made->find_reference();
  made->make_seed();
  KE_TRY_VOID(made->describe());
  for (std::size_t i = 0; i < made->landscape_->points().size(); ++i) {
    Encoder build;
    build("landscape build/1")(made->landscape_->content_hash())(i);
    made->builds_.push_back(build.digest());
  }
  return std::shared_ptr<const LandscapeProblem>(std::move(made));
}

void LandscapeProblem::find_reference() {
  reference_ = landscape_->best_time();
  if (options_.reference == LandscapeOptions::Reference::optimum) return;
  std::vector<double> times;
  for (const Landscape::Point& point : landscape_->points()) {
    if (point.verdict == Verdict::ok) times.push_back(point.time);
  }
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  reference_ = *middle;
}

void LandscapeProblem::make_seed() {
  const auto levels = landscape_->levels(middle_point(*landscape_));
  KernelSpace space;
  space.task = landscape_->name();
  std::string source = "// @task " + space.task + "\n";
  for (std::size_t p = 0; p < levels.size(); ++p) {
    Knob knob = landscape_->parameters()[p].knob;
    knob.default_index = levels[p];
    source += fmt::format("// @knob {} ", knob.name);
    if (knob.kind == KnobKind::boolean) {
      source += "bool";
    } else {
      source += fmt::format("{} {{{}}}", knob.kind == KnobKind::integer ? "int" : "enum",
                            fmt::join(knob.values, ", "));
    }
    source += fmt::format(" = {}\n", knob.values[knob.default_index]);
    space.knobs.push_back(std::move(knob));
  }
  space.points = std::make_shared<RecordedPoints>(landscape_);
  seed_.kernel = space.defaults("landscape", std::move(source));
  seed_.space = std::make_shared<const KernelSpace>(std::move(space));
}

Result<void> LandscapeProblem::describe() {
  names_ = {"first_half", "second_half"};
  std::vector<std::vector<double>> columns(2);
  const auto varied = varied_parameters(*landscape_);
  const std::size_t half = varied.size() / 2;
  for (std::size_t i = 0; i < landscape_->points().size(); ++i) {
    columns[0].push_back(mean_position(*landscape_, varied, 0, half, i));
    columns[1].push_back(mean_position(*landscape_, varied, half, varied.size(), i));
  }
  for (const LandscapeDescriptor& descriptor : options_.descriptors) {
    KE_TRY(std::vector<double> values, values_of(*landscape_, descriptor));
    names_.push_back(descriptor.name);
    columns.push_back(std::move(values));
  }
  for (std::size_t i = 0; i < landscape_->points().size(); ++i) {
    for (const auto& column : columns) measured_.push_back(column[i]);
  }
  return {};
}

double LandscapeProblem::objective(std::size_t point) const {
  const Landscape::Point& recorded = landscape_->points()[point];
  return recorded.verdict == Verdict::ok ? reference_ / recorded.time : 0;
}

Digest LandscapeProblem::content_hash() const {
  Encoder out;
  out("landscape problem/1")(landscape_->content_hash())(options_.reference)(options_.noise);
  out(options_.draws)(options_.descriptors.size());
  for (const auto& descriptor : options_.descriptors) out(descriptor.name)(descriptor.of);
  return out.digest();
}

}  // namespace ke
