#pragma once
// From runs to the tables of their figures, in a folder.

#include <string>
#include <vector>

#include "core/result.hpp"
#include "experiments/cli/json.hpp"

namespace ke {

struct PlotRequest {
  std::vector<std::string> runs;
  std::vector<std::string> overrides;  ///< `key=value` of the analysis
  std::vector<std::string> figures;    ///< names; empty = all
  std::string currency = "evaluations";
  std::string folder;
};

/// Writes <figure>.csv for each figure that the runs can fill, and figures.json, which says what is
/// there: {format, version, figures: [{name, doc, csv, x_label, y_label, footer}], skipped: [{name,
/// why}], runs, missing}. Answers the latter. Error when a figure or currency is unknown.
Result<Json> write_figures(const PlotRequest& request);

}  // namespace ke
