#include "archive/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/portable_math.hpp"
#include "core/result.hpp"
#include "core/text.hpp"

namespace ke {
namespace {

std::vector<std::string> range_labels(const std::vector<double>& edges) {
  std::vector<std::string> labels;
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    const char* close = i + 2 == edges.size() ? "]" : ")";
    labels.push_back(fmt::format("[{:.4g}, {:.4g}{}", edges[i], edges[i + 1], close));
  }
  return labels;
}

const AxisInfo* find_info(const std::vector<AxisInfo>& declared, const std::string& name) {
  for (const AxisInfo& info : declared) {
    if (info.name == name) return &info;
  }
  return nullptr;
}

std::string unknown_measure(const std::string& name, const std::vector<AxisInfo>& declared) {
  std::vector<std::string> names;
  std::vector<std::string> recorded;
  for (const AxisInfo& info : declared) {
    (info.recorded_only ? recorded : names).push_back(info.name);
  }
  const AxisInfo* known = find_info(declared, name);
  if (known != nullptr) {
    return fmt::format(
        "= {} is recorded, from {:.4g} to {:.4g}; to make it an axis, set device.descriptors: "
        "[{{name: {}, low: .., high: ..}}]",
        name, known->low, known->high, name);
  }
  std::string text = fmt::format("= {} is not measured here", name);
  const std::string near = suggestion(name, names);
  if (!near.empty()) return text + near;
  text += fmt::format(" (known: {}", fmt::join(names, ", "));
  if (!recorded.empty()) {
    text += fmt::format("; recorded, for device.descriptors: {}", fmt::join(recorded, ", "));
  }
  return text + ")";
}

std::optional<Axis> categorical_axis(Params& params, const AxisInfo& info,
                                     const std::vector<std::string>& bins) {
  std::vector<Category> chosen;
  std::vector<std::string> labels;
  for (const Category& category : info.categories) {
    labels.push_back(category.label);
    if (std::find(bins.begin(), bins.end(), category.label) != bins.end()) {
      chosen.push_back(category);
    }
  }
  for (const std::string& label : bins) {
    if (std::find(labels.begin(), labels.end(), label) != labels.end()) continue;
    params.fail("bins", fmt::format("= '{}' is no value of '{}' (values: {})", label, info.name,
                                    fmt::join(labels, ", ")));
    return std::nullopt;
  }
  return Axis::with_categories(info, std::move(chosen));
}

std::optional<Axis> edge_axis(Params& params, const AxisInfo& info,
                              const std::vector<std::string>& bins) {
  std::vector<double> edges;
  for (const std::string& text : bins) {
    const auto edge = number_from<double>(text);
    if (!edge || !std::isfinite(*edge) || (!edges.empty() && *edge <= edges.back())) {
      params.fail("bins",
                  fmt::format("has an edge '{}' that is no number above the one before", text));
      return std::nullopt;
    }
    edges.push_back(*edge);
  }
  return Axis::with_edges(info, std::move(edges));
}

std::optional<Axis> divided_axis(Params& params, const AxisInfo& info, const std::string& count) {
  const auto bins = number_from<double>(count);
  if (!bins || *bins < 1 || *bins > 10'000 || *bins != std::floor(*bins)) {
    params.fail("bins", fmt::format("= {} is outside [1, 10000]", count));
    return std::nullopt;
  }
  if (!(info.low < info.high)) {
    params.fail("low", fmt::format("= {} is not below 'high' = {}", info.low, info.high));
    return std::nullopt;
  }
  if (info.scale == Scale::logarithmic && info.low <= 0) {
    params.fail(
        "low", fmt::format("= {}: a logarithmic axis begins above 0; set scale: linear", info.low));
    return std::nullopt;
  }
  AxisInfo divided = info;
  divided.bins = static_cast<std::int64_t>(*bins);
  return Axis::divided(divided);
}

std::vector<std::string> default_bins(const AxisInfo& info) {
  if (info.categories.empty()) return {fmt::format("{}", info.bins)};
  std::vector<std::string> labels;
  for (const Category& category : info.categories) labels.push_back(category.label);
  return labels;
}

}  // namespace

Axis::Axis(const AxisInfo& info, std::vector<double> edges, bool categorical)
    : shape_{info.name, info.unit, {}},
      edges_(std::move(edges)),
      categorical_(categorical),
      scale_(info.scale) {}

Axis Axis::divided(const AxisInfo& info) {
  KE_CHECK(info.bins >= 1 && info.low < info.high);
  KE_CHECK(info.scale == Scale::linear || info.low > 0);
  const double n = static_cast<double>(info.bins);
  std::vector<double> edges;
  for (std::int64_t i = 0; i < info.bins; ++i) {
    const double t = static_cast<double>(i) / n;
    edges.push_back(info.scale == Scale::linear
                        ? info.low + (info.high - info.low) * t
                        : info.low * portable_exp(portable_log(info.high / info.low) * t));
  }
  edges.push_back(info.high);
  return with_edges(info, std::move(edges));
}

Axis Axis::with_edges(const AxisInfo& info, std::vector<double> edges) {
  KE_CHECK(edges.size() >= 2 && std::is_sorted(edges.begin(), edges.end()));
  Axis axis(info, std::move(edges), false);
  axis.shape_.bins = range_labels(axis.edges_);
  if (axis.edges_.front() <= 0) axis.scale_ = Scale::linear;
  return axis;
}

Axis Axis::with_categories(const AxisInfo& info, std::vector<Category> categories) {
  KE_CHECK(!categories.empty());
  std::vector<double> values;
  std::vector<std::string> labels;
  for (Category& category : categories) {
    values.push_back(category.value);
    labels.push_back(std::move(category.label));
  }
  KE_CHECK(std::is_sorted(values.begin(), values.end()));
  Axis axis(info, std::move(values), true);
  axis.shape_.bins = std::move(labels);
  return axis;
}

Axis::Bin Axis::bin_of(double value) const {
  if (std::isnan(value) || value < edges_.front()) return {0, true};
  const auto above = std::upper_bound(edges_.begin(), edges_.end(), value);
  const auto index = static_cast<std::size_t>(above - edges_.begin()) - 1;
  return {std::min(index, bins() - 1), value > edges_.back()};
}

double Axis::position(double value) const {
  if (categorical_) {
    const double last = static_cast<double>(bins() - 1);
    return last == 0 ? 0 : static_cast<double>(bin_of(value).index) / last;
  }
  const double low = edges_.front();
  const double high = edges_.back();
  if (std::isnan(value) || value <= low) return 0;
  if (value >= high) return 1;
  if (scale_ == Scale::linear) return (value - low) / (high - low);
  return portable_log(value / low) / portable_log(high / low);
}

std::optional<Axis> read_axis(Params& params, const std::vector<AxisInfo>& declared) {
  const std::string name = params.required_text("measure", "measure on this axis");
  const AxisInfo* known = find_info(declared, name);
  AxisInfo info = known != nullptr ? *known : AxisInfo{};
  const auto bins = params.texts("bins", default_bins(info),
                                 "number of bins, or a list of edges or of named values");
  const bool logarithmic = info.scale == Scale::logarithmic;
  info.low = params.real("low", info.low, {-1e300, 1e300}, "lower end of the axis");
  info.high = params.real("high", info.high, {-1e300, 1e300}, "upper end of the axis");
  info.scale = params.choice("scale", logarithmic ? "log" : "linear", {"linear", "log"},
                             "equal widths or equal ratios") == "log"
                   ? Scale::logarithmic
                   : Scale::linear;
  if (known == nullptr || known->recorded_only) {
    if (!name.empty()) params.fail("measure", unknown_measure(name, declared));
    return std::nullopt;
  }
  if (!info.categories.empty()) return categorical_axis(params, info, bins);
  if (bins.size() == 1) return divided_axis(params, info, bins[0]);
  if (bins.empty()) {
    params.fail("bins", "is an empty list");
    return std::nullopt;
  }
  return edge_axis(params, info, bins);
}

}  // namespace ke
