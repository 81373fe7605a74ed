#include <algorithm>

#include "core/numeric/emitter.hpp"

namespace ke {
namespace {

void clip(std::span<double> row, const SearchSpace& space) {
  for (double& x : row) x = std::min(std::max(x, space.low), space.high);
}

class Bounded : public Emitter {
 protected:
  explicit Bounded(const SearchSpace& space)
      : space_(space),
        bounded_(space.low > -std::numeric_limits<double>::infinity() ||
                 space.high < std::numeric_limits<double>::infinity()),
        start_(space.dimensions, space.start) {}

  /// Draws `count` parents. Doing so before the batch's noise leaves time to prefetch their rows,
  /// which are scattered over megabytes.
  void draw(const NumericArchive& archive, NormalSource& random, std::size_t count) {
    parents_.resize(count);
    for (auto& parent : parents_) {
      parent = archive.filled() == 0
                   ? std::span<const double>(start_)
                   : archive.solution(static_cast<std::size_t>(random.below(archive.filled())));
    }
  }
  std::span<const double> parent(std::size_t i) const {
    if (i + 2 < parents_.size()) call_for(parents_[i + 2]);
    return parents_[i];
  }
  void finish(std::span<double> row) const {
    if (bounded_) clip(row, space_);
  }
  SearchSpace space_;

 private:
  static void call_for(std::span<const double> row) {
    for (std::size_t i = 0; i < row.size(); i += 8) __builtin_prefetch(&row[i]);
  }
  bool bounded_;
  std::vector<double> start_;
  std::vector<std::span<const double>> parents_;
};

class GaussianEmitter final : public Bounded {
 public:
  GaussianEmitter(const SearchSpace& space, const GaussianOptions& options)
      : Bounded(space), options_(options) {}
  std::size_t batch() const override { return options_.batch; }

  void ask(const NumericArchive& archive, NormalSource& random,
           std::span<double> solutions) override {
    const std::size_t n = space_.dimensions;
    draw(archive, random, options_.batch);
    for (std::size_t i = 0; i < options_.batch; ++i) {
      const std::span<double> row = solutions.subspan(i * n, n);
      const std::span<const double> from = parent(i);
      random.fill(row);
      for (std::size_t d = 0; d < n; ++d) row[d] = from[d] + options_.sigma * row[d];
      finish(row);
    }
  }

 private:
  GaussianOptions options_;
};

class LineEmitter final : public Bounded {
 public:
  LineEmitter(const SearchSpace& space, const LineOptions& options)
      : Bounded(space), options_(options) {}
  std::size_t batch() const override { return options_.batch; }

  void ask(const NumericArchive& archive, NormalSource& random,
           std::span<double> solutions) override {
    const std::size_t n = space_.dimensions;
    draw(archive, random, 2 * options_.batch);
    for (std::size_t i = 0; i < options_.batch; ++i) {
      const std::span<double> row = solutions.subspan(i * n, n);
      const std::span<const double> from = parent(2 * i);
      const std::span<const double> to = parent(2 * i + 1);
      const double along = options_.line * random.normal();
      random.fill(row);
      for (std::size_t d = 0; d < n; ++d) {
        row[d] = from[d] + options_.iso * row[d] + along * (to[d] - from[d]);
      }
      finish(row);
    }
  }

 private:
  LineOptions options_;
};

}  // namespace

std::unique_ptr<Emitter> make_gaussian_emitter(const SearchSpace& space,
                                               const GaussianOptions& options) {
  return std::make_unique<GaussianEmitter>(space, options);
}

std::unique_ptr<Emitter> make_line_emitter(const SearchSpace& space, const LineOptions& options) {
  return std::make_unique<LineEmitter>(space, options);
}

}  // namespace ke
