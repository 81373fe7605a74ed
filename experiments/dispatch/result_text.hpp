#pragma once
// Prints the result of `dispatch`.

#include <map>
#include <string>

#include "core/json.hpp"
#include "experiments/dispatch/make_dispatcher.hpp"

namespace ke {

/// Mean figures of a library over the shapes of one role.
struct DispatchMean {
  std::string role;
  int shapes = 0;
  std::string name;          ///< "mean of 3", "total time of 3"
  SpeedupFigure dispatcher;  ///< mean by the task's rule; speedup 0 if a shape has no figure
  SpeedupFigure champion;
  std::map<std::string, SpeedupFigure> libraries = {};  ///< the dispatcher over each
};

/// Means of the roles bench, validation and holdout.
/// `against`: as DispatchPlan's.
std::vector<DispatchMean> dispatch_means(const DispatchDevice& device, const std::string& against);

/// A line in words for each opponent of the library.
std::string words_of(const DispatchMean& mean, const DispatchPlan& plan);

/// The opponent of the library's figures: "the anchor", "pytorch eager".
std::string against_text(const DispatchPlan& plan);

std::string result_text(const std::string& folder, const DispatchResult& made);
Json json_of(const std::string& folder, const DispatchResult& made);

}  // namespace ke
