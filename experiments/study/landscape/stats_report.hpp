#pragma once
// Statistics of landscapes as a table and JSON.

#include <span>
#include <string>

#include "experiments/study/landscape/stats.hpp"
#include "experiments/text/json.hpp"

namespace ke {

std::string stats_text(std::span<const LandscapeStats> list);
Json stats_json(std::span<const LandscapeStats> list);

}  // namespace ke
