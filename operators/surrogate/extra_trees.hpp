#pragma once
// Extremely randomised regression trees [Geurts2006]: cheap to fit, without scaling of inputs;
// their disagreement indicates uncertainty.

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

  /// `rows` holds targets.size() rows of equal width. Each split draws one cut uniformly for each
  /// tried input and takes the one with the largest reduction of squared error.
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
