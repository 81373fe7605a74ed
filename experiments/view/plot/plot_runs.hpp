#pragma once
// Writes the tables of the figures of runs into a folder.

#include <string>
#include <vector>

#include "core/result.hpp"
#include "experiments/text/json.hpp"

namespace ke {

struct PlotRequest {
  std::vector<std::string> runs;
  std::vector<std::string> overrides;  ///< `key=value` overrides of the analysis
  std::vector<std::string> figures;    ///< names; empty = all
  std::string currency = "evaluations";
  std::string folder;
};

/// Writes <figure>.csv and its caption <figure>.txt for each figure that the runs can fill, and
/// figures.json, which says what is there: {format, version, figures: [{name, doc, csv, x_label,
/// y_label, caption}], skipped: [{name, why}], labels of arms, runs, missing}. Answers the latter.
/// Error when a figure or currency is unknown.
Result<Json> write_figures(const PlotRequest& request);

}  // namespace ke
