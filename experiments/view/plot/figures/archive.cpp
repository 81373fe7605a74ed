#include <fmt/format.h>

#include <map>

#include "archive/run_rows.hpp"
#include "core/text.hpp"
#include "experiments/view/plot/chosen_runs.hpp"
#include "experiments/view/plot/figure.hpp"

namespace ke {
namespace {

constexpr std::size_t most_cells = 20'000;  // larger archives are neither read nor drawn

/// The elite of a cell: its name ("" for solutions of a numeric search) and objective.
struct Occupant {
  std::string candidate;
  double objective = 0;
};

Result<std::map<std::size_t, Occupant>> occupants_of(const RunReader& reader) {
  std::map<std::size_t, Occupant> cells;
  KE_TRY(const auto elites, reader.elites());
  for (const EliteRow& elite : elites) {
    if (elite.archive == "passive") cells[elite.cell] = {elite.candidate.text(), elite.objective};
  }
  if (!cells.empty()) return cells;
  KE_TRY(const RunRows rows, read_rows(reader));
  for (const NumericEliteRow& elite : rows.numeric_elites) {
    cells[static_cast<std::size_t>(elite.cell)] = {"", elite.objective};
  }
  return cells;
}

std::string name_of(const AxisShape& axis) {
  return axis.unit.empty() || axis.unit == "1" ? axis.measure
                                               : fmt::format("{} ({})", axis.measure, axis.unit);
}

/// Position of a drawn cell: a row and column, or a point of the unit square.
struct Place {
  std::string row_bin, column_bin, x, y;
};

/// Lays out a grid of any number of axes in rows and columns; the last axis runs along the columns.
class GridLayout {
 public:
  explicit GridLayout(const std::vector<AxisShape>& axes) : axes_(axes) {
    for (std::size_t i = 0; i + 1 < axes.size(); ++i) {
      row_axis_ += (i > 0 ? " / " : "") + name_of(axes[i]);
    }
  }
  const std::string& row_axis() const { return row_axis_; }
  std::string column_axis() const { return name_of(axes_.back()); }
  std::size_t columns() const { return axes_.back().bins.size(); }
  Place at(std::size_t cell) const {
    Place place;
    place.column_bin = axes_.back().bins[cell % columns()];
    std::size_t row = cell / columns();
    for (std::size_t i = axes_.size() - 1; i-- > 0; row /= axes_[i].bins.size()) {
      const std::string& bin = axes_[i].bins[row % axes_[i].bins.size()];
      place.row_bin = bin + (place.row_bin.empty() ? "" : " / ") + place.row_bin;
    }
    return place;
  }

 private:
  const std::vector<AxisShape>& axes_;
  std::string row_axis_;
};

/// "cvt(m0, m1)" -> {"m0", "m1"}, "(0.1, 0.2)" -> {"0.1", "0.2"}.
std::vector<std::string> parts_in_brackets(const std::string& text) {
  const std::size_t open = text.find('('), close = text.rfind(')');
  std::vector<std::string> parts;
  if (open == text.npos || close == text.npos || close < open) return parts;
  for (const std::string_view part :
       split(std::string_view(text).substr(open + 1, close - open - 1), ',')) {
    parts.emplace_back(trim(part));
  }
  return parts;
}

/// Lays out cells around centroids of one or two measures, each scaled to [0, 1].
class CentroidLayout {
 public:
  explicit CentroidLayout(const AxisShape& axis)
      : axis_(axis), names_(parts_in_brackets(axis.measure)) {}
  std::size_t measures() const { return names_.size(); }
  std::string row_axis() const { return names_.size() > 1 ? names_[1] : std::string(); }
  std::string column_axis() const { return names_.empty() ? std::string() : names_[0]; }
  Place at(std::size_t cell) const {
    const auto point = parts_in_brackets(axis_.bins[cell]);
    return {"", "", point.empty() ? "" : point[0], point.size() > 1 ? point[1] : "0.5"};
  }

 private:
  const AxisShape& axis_;
  std::vector<std::string> names_;
};

bool has_centroids(const std::vector<AxisShape>& axes) {
  return axes.size() == 1 && axes[0].measure.starts_with("cvt(");
}

template <typename Layout>
void add_cells(const ComparedRun& run, const Layout& layout, std::size_t cells, std::size_t columns,
               const std::map<std::size_t, Occupant>& occupants, CsvTable& table) {
  for (std::size_t cell = 0; cell < cells; ++cell) {
    const auto occupant = occupants.find(cell);
    const bool empty = occupant == occupants.end();
    const Place place = layout.at(cell);
    table.add({run.task, run.arm, fmt::format("{}", run.seed), fmt::format("{}", cell),
               columns > 0 ? fmt::format("{}", cell / columns) : "",
               columns > 0 ? fmt::format("{}", cell % columns) : "", layout.row_axis(),
               place.row_bin, layout.column_axis(), place.column_bin, place.x, place.y,
               empty ? "" : occupant->second.candidate,
               empty ? "" : csv_number(occupant->second.objective)});
  }
}

Result<std::string> add_run(const ComparedRun& run, CsvTable& table) {
  KE_TRY(const auto reader, RunReader::open(run.file));
  KE_TRY(const auto axes, reader->axes("passive"));
  const std::size_t cells = cells_of(axes);
  if (cells == 0) return std::string("the common archive has no axes");
  if (cells > most_cells) {
    return fmt::format("the common archive has {} cells; up to {} are drawn", cells, most_cells);
  }
  KE_TRY(const auto occupants, occupants_of(*reader));
  if (has_centroids(axes)) {
    const CentroidLayout layout(axes[0]);
    if (layout.measures() > 2) {
      return fmt::format("the common archive has centroids in {} measures; two can be drawn",
                         layout.measures());
    }
    add_cells(run, layout, cells, 0, occupants, table);
  } else {
    const GridLayout layout(axes);
    add_cells(run, layout, cells, layout.columns(), occupants, table);
  }
  return std::string();
}

}  // namespace

Result<FigureTable> make_archive_figure(const PlotInput& input) {
  KE_TRY(const auto runs, median_runs(input.runs));
  FigureTable figure;
  figure.table = CsvTable({"task", "arm", "seed", "cell", "row", "column", "row_axis", "row_bin",
                           "column_axis", "column_bin", "x", "y", "candidate", "objective"});
  std::string why;
  for (const ComparedRun* run : runs) {
    KE_TRY(const std::string missing, add_run(*run, figure.table));
    if (!missing.empty()) why = missing;
  }
  if (figure.table.empty()) return missing_figure(why);
  figure.y_label = input.objective;  // of the colours
  return figure;
}

}  // namespace ke
