#pragma once
// Writes the tables of the figures of runs into a folder.

#include <string>
#include <vector>

#include "core/result.hpp"
#include "experiments/cli/json.hpp"

namespace ke {

struct PlotRequest {
  std::vector<std::string> runs;
  std::vector<std::string> overrides;  ///< `key=value` overrides of the analysis
  std::vector<std::string> figures;    ///< names; empty = all
  std::string currency = "evaluations";
  std::string folder;
};

/// Writes <figure>.csv for each figure that the runs can fill, and the manifest figures.json:
/// {format, version, figures: [{name, doc, csv, x_label, y_label, footer}], skipped: [{name, why}],
/// runs, missing}. Returns the manifest. Error if a figure or currency is unknown.
Result<Json> write_figures(const PlotRequest& request);

}  // namespace ke
