#pragma once
// The figures of `plot` and their tables. Python only draws these tables.

#include <string>
#include <string_view>
#include <vector>

#include "experiments/study/compare/load.hpp"
#include "experiments/study/compare/report.hpp"
#include "experiments/text/csv.hpp"

namespace ke {

/// Input of the figures of one call.
struct PlotInput {
  ComparedRuns runs;
  std::string objective;  ///< what the objective of all these runs is, as the label of an axis
  std::string currency;   ///< of curves, see curve_currencies()
  std::optional<ComparisonReport> comparison;
  std::string why_not;  ///< why arms cannot be compared
};

/// Table of one figure, or the reason why there is none.
struct FigureTable {
  CsvTable table;
  std::string x_label = "";
  std::string y_label = "";
  std::string missing = "";
  std::string about = "";  ///< sentences of the caption on statistics that are drawn
};

inline FigureTable missing_figure(std::string why) {
  FigureTable figure;
  figure.missing = std::move(why);
  return figure;
}

struct FigureKind {
  std::string_view name;
  std::string_view doc;
  Result<FigureTable> (*make)(const PlotInput& input);
};

#define KE_FIGURE(name, doc) Result<FigureTable> make_##name##_figure(const PlotInput& input);
#include "experiments/view/plot/figures.def"
#undef KE_FIGURE

/// All figures, in the order of figures.def.
const std::vector<FigureKind>& figure_kinds();

}  // namespace ke
