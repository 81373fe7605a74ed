#include "archive/cvt.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "archive/archives.hpp"
#include "archive/axes.hpp"
#include "core/random_stream.hpp"
#include "core/result.hpp"

namespace ke {
namespace {

constexpr std::size_t points_a_cell = 25;
constexpr std::size_t least_points = 4096;  // few cells also need a dense sample

std::vector<double> uniform_points(std::size_t count, std::int64_t seed) {
  RandomStream random({static_cast<std::uint64_t>(seed), 0, 0, 0, Purpose::bootstrap});
  std::vector<double> points(count);
  for (double& x : points) x = random.uniform();
  return points;
}

/// Moves each centroid to the mean of the points nearest to it; one without points stays.
void move_to_means(std::vector<double>& centroids, const std::vector<double>& points,
                   std::size_t dimensions) {
  const NearestPoint nearest(centroids, dimensions);
  std::vector<double> sums(centroids.size(), 0.0);
  std::vector<std::int64_t> counts(nearest.count(), 0);
  for (std::size_t i = 0; i < points.size(); i += dimensions) {
    const std::size_t cell = nearest.find(std::span(points).subspan(i, dimensions));
    ++counts[cell];
    for (std::size_t d = 0; d < dimensions; ++d) sums[cell * dimensions + d] += points[i + d];
  }
  for (std::size_t i = 0; i < centroids.size(); ++i) {
    const std::int64_t count = counts[i / dimensions];
    if (count > 0) centroids[i] = sums[i] / static_cast<double>(count);
  }
}

}  // namespace

NearestPoint::NearestPoint(std::vector<double> points, std::size_t dimensions)
    : points_(std::move(points)), dimensions_(dimensions) {
  KE_CHECK(dimensions_ >= 1 && !points_.empty() && points_.size() % dimensions_ == 0);
  order_.resize(points_.size() / dimensions_);
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  build(0, order_.size(), 0);
}

void NearestPoint::build(std::size_t first, std::size_t last, std::size_t axis) {
  if (last - first < 2) return;
  const auto at = [&](std::size_t i) { return order_.begin() + static_cast<std::ptrdiff_t>(i); };
  const std::size_t middle = first + (last - first) / 2;
  std::nth_element(at(first), at(middle), at(last), [&](std::size_t a, std::size_t b) {
    const double x = point(a)[axis];
    const double y = point(b)[axis];
    return x != y ? x < y : a < b;
  });
  build(first, middle, (axis + 1) % dimensions_);
  build(middle + 1, last, (axis + 1) % dimensions_);
}

void NearestPoint::search(std::size_t first, std::size_t last, std::size_t axis,
                          std::span<const double> where, Best& best) const {
  if (first >= last) return;
  const std::size_t middle = first + (last - first) / 2;
  const std::size_t index = order_[middle];
  double distance = 0;
  for (std::size_t d = 0; d < dimensions_; ++d) {
    const double step = where[d] - point(index)[d];
    distance += step * step;
  }
  if (distance < best.distance || (distance == best.distance && index < best.index)) {
    best = {distance, index};
  }
  const double beyond = where[axis] - point(index)[axis];
  const std::size_t next = (axis + 1) % dimensions_;
  const bool left_first = beyond < 0;
  if (left_first) search(first, middle, next, where, best);
  if (!left_first) search(middle + 1, last, next, where, best);
  if (beyond * beyond > best.distance) return;  // a tie on the other side may win
  if (left_first) search(middle + 1, last, next, where, best);
  if (!left_first) search(first, middle, next, where, best);
}

std::size_t NearestPoint::find(std::span<const double> where) const {
  Best best{std::numeric_limits<double>::infinity(), order_.size()};
  search(0, order_.size(), 0, where, best);
  return best.index;
}

std::vector<double> make_centroids(std::size_t cells, std::size_t dimensions, std::int64_t seed,
                                   std::int64_t rounds) {
  const std::size_t count = std::max(cells * points_a_cell, least_points);
  const auto points = uniform_points(count * dimensions, seed);
  std::vector<double> centroids(points.begin(),
                                points.begin() + static_cast<std::ptrdiff_t>(cells * dimensions));
  for (std::int64_t round = 0; round < rounds; ++round) {
    move_to_means(centroids, points, dimensions);
  }
  return centroids;
}

CvtArchive::CvtArchive(std::vector<Axis> axes, std::vector<double> centroids,
                       std::shared_ptr<const AcceptanceRule> rule)
    : axes_(std::move(axes)),
      centroids_(std::move(centroids), axes_.size()),
      rule_(rule ? std::move(rule) : std::make_shared<PointRule>()) {}

std::size_t CvtArchive::cell_of(const Candidate& candidate) const {
  return centroids_.find(position_on(axes_, candidate));
}

bool CvtArchive::may_enter(const Candidate& candidate) const {
  return ke::may_enter(*rule_, candidate, elites_.at(cell_of(candidate)).get());
}

OfferResult CvtArchive::offer(const CandidatePtr& candidate, Decision decision) {
  KE_CHECK(candidate->evaluation.verdict == Verdict::ok);
  const std::size_t clipped = clipped_on(axes_, *candidate);
  if (decision == Decision::none) clipped_ += clipped;
  OfferResult result;
  result.cell = cell_of(*candidate);
  result.clipped = clipped > 0;
  offer_to_cell(elites_, *rule_, candidate, decision, result);
  return result;
}

AxisShape CvtArchive::shape() const {
  std::vector<std::string> names;
  for (const Axis& axis : axes_) names.push_back(axis.measure());
  AxisShape shape{fmt::format("cvt({})", fmt::join(names, ", ")), "1", {}};
  for (std::size_t i = 0; i < centroids_.count(); ++i) {
    std::vector<std::string> numbers;
    for (const double x : centroids_.point(i)) numbers.push_back(fmt::format("{:.17g}", x));
    shape.bins.push_back(fmt::format("({})", fmt::join(numbers, ", ")));
  }
  return shape;
}

std::unique_ptr<Archive> make_cvt_archive(Params& params, const ArchiveContext& context) {
  auto axes = read_axes(params, context.axes);
  const std::int64_t cells = params.integer("cells", 64, {1, 20'000}, "centroids");
  const std::int64_t seed =
      params.integer("centroid_seed", 1, {0, 1'000'000'000}, "decides the centroids");
  const std::int64_t rounds = params.integer("rounds", 20, {0, 1000}, "of Lloyd's algorithm");
  if (axes.empty()) axes.push_back(Axis::divided({.name = "none", .unit = ""}));
  auto centroids = make_centroids(static_cast<std::size_t>(cells), axes.size(), seed, rounds);
  return std::make_unique<CvtArchive>(std::move(axes), std::move(centroids), context.rule);
}

}  // namespace ke
