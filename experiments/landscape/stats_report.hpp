#pragma once
// Statistics of landscapes as a table and JSON.

#include <span>
#include <string>

#include "experiments/cli/json.hpp"
#include "experiments/landscape/stats.hpp"

namespace ke {

std::string stats_text(std::span<const LandscapeStats> list);
Json stats_json(std::span<const LandscapeStats> list);

}  // namespace ke
