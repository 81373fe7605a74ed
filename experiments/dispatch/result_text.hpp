#pragma once
// What `dispatch` prints.

#include <map>
#include <string>

#include "core/json.hpp"
#include "experiments/dispatch/make_dispatcher.hpp"

namespace ke {

/// Figures of a library over the shapes of one role.
struct DispatchMean {
  std::string role;
  int shapes = 0;
  SpeedupFigure dispatcher;  ///< geometric means; speedup 0 where a shape has no figure
  SpeedupFigure champion;
  std::map<std::string, SpeedupFigure> libraries = {};  ///< the dispatcher over each
};

/// Of the roles bench, validation and holdout.
std::vector<DispatchMean> dispatch_means(const DispatchDevice& device);

std::string result_text(const std::string& folder, const DispatchResult& made);
Json json_of(const std::string& folder, const DispatchResult& made);

}  // namespace ke
