#pragma once
// Extremely randomised regression trees [Geurts2006]: a model that is cheap to fit, needs no
// scaling of its inputs, and whose trees disagree where little is known.

#include <cstddef>
#include <span>
#include <vector>

#include "core/random_stream.hpp"

namespace ke {

class ExtraTrees {
 public:
  struct Options {
    std::size_t trees = 10;
    double features = 1;  ///< share of the inputs tried at each split, in (0, 1]
    std::size_t min_leaf = 1;
  };
  struct Prediction {
    double mean = 0;
    double deviation = 0;  ///< between and within the leaves of all trees
  };

  /// `rows` holds targets.size() rows of equal width. At each split one cut is drawn uniformly for
  /// each input tried, and the cut with the largest gain in squared error is taken.
  ExtraTrees(std::span<const double> rows, std::span<const double> targets, const Options& options,
             RandomStream& random);
  Prediction predict(std::span<const double> row) const;

 private:
  struct Node {
    std::size_t feature = 0;
    double cut = 0;
    std::size_t right = 0;  ///< the left child follows its parent; 0 = a leaf
    double mean = 0;
    double variance = 0;
  };
  struct Sample;
  struct Split;
  void grow(const Sample& sample, std::span<std::size_t> members, RandomStream& random);
  std::vector<Node> nodes_;
  std::vector<std::size_t> roots_;
};

}  // namespace ke
