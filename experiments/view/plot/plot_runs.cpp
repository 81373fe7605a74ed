#include "experiments/view/plot/plot_runs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "core/text.hpp"
#include "experiments/run/atomic_file.hpp"
#include "experiments/run/places.hpp"
#include "experiments/study/compare/compare_runs.hpp"
#include "experiments/study/compare/curves.hpp"
#include "experiments/study/summary/objective.hpp"
#include "experiments/view/plot/figure.hpp"

namespace ke {
namespace {

namespace fs = std::filesystem;

Result<void> check_names(const PlotRequest& request) {
  std::vector<std::string> known;
  for (const FigureKind& kind : figure_kinds()) known.emplace_back(kind.name);
  for (const std::string& name : request.figures) {
    if (std::ranges::find(known, name) != known.end()) continue;
    return Error{Failure::usage, fmt::format("plot: --figure = {} is not one of {}{}", name,
                                             fmt::join(known, " | "), suggestion(name, known))};
  }
  return {};
}

/// The label of the runs' objective; "objective" where runs differ in it.
std::string common_objective(const ComparedRuns& runs) {
  std::string label;
  for (const ComparedRun& run : runs.runs) {
    std::string own = objective_label(objective_base(run.option("device.kind"), run.header));
    if (!label.empty() && label != own) return objective_label("");
    label = std::move(own);
  }
  return label;
}

Result<PlotInput> read_input(const PlotRequest& request) {
  PlotInput input;
  input.currency = request.currency;
  KE_TRY(input.runs, load_runs(request.runs));
  input.objective = common_objective(input.runs);
  if (input.runs.runs.empty()) {
    return Error{Failure::usage,
                 fmt::format("plot: no run is done; {}", fmt::join(input.runs.missing, "; "))};
  }
  auto comparison = compare_runs(input.runs, request.overrides, false);
  if (comparison) {
    input.comparison = *std::move(comparison);
  } else if (request.overrides.empty()) {
    input.why_not = comparison.error().message;
  } else {
    return std::move(comparison).error();
  }
  return input;
}

/// Says what the figure shows and, for whoever finds it without its paper, what it was made from.
std::string caption_of(const FigureKind& kind, const FigureTable& figure, const PlotInput& input) {
  const Provenance provenance = provenance_of(input.runs);
  const bool exploratory = input.comparison && !input.comparison->exploratory.empty();
  return fmt::format("{}: {}.\n{}{}{}.\n{}\n", kind.name, kind.doc,
                     figure.about.empty() ? "" : exploratory_text(exploratory), figure.about,
                     runs_text(provenance), configurations_text(provenance));
}

/// The names of arms in figures.
Json labels_of(const ComparedRuns& runs) {
  Json labels = Json::object();
  if (runs.index) labels = runs.index->labels;
  return labels;
}

Json run_list(const ComparedRuns& runs) {
  Json list = Json::array();
  for (const ComparedRun& run : runs.runs) {
    list.push_back({{"file", run.file},
                    {"arm", run.arm},
                    {"task", run.task},
                    {"seed", run.seed},
                    {"config_id", run.header.config_id.hex()}});
  }
  return list;
}

/// Manifest entry of a figure whose table was written, or of a skipped one.
Result<Json> write_figure(const FigureKind& kind, const PlotInput& input,
                          const PlotRequest& request, Json& skipped) {
  KE_TRY(const FigureTable figure, kind.make(input));
  if (!figure.missing.empty()) {
    skipped.push_back({{"name", kind.name}, {"why", figure.missing}});
    return Json(nullptr);
  }
  const std::string csv = std::string(kind.name) + ".csv";
  KE_TRY_VOID(write_atomically((fs::path(request.folder) / csv).string(), figure.table.text()));
  const std::string caption = std::string(kind.name) + ".txt";
  KE_TRY_VOID(write_atomically((fs::path(request.folder) / caption).string(),
                               caption_of(kind, figure, input)));
  return Json{{"name", kind.name},         {"doc", kind.doc},           {"csv", csv},
              {"x_label", figure.x_label}, {"y_label", figure.y_label}, {"caption", caption}};
}

}  // namespace

Result<Json> write_figures(const PlotRequest& request) {
  KE_TRY_VOID(check_names(request));
  KE_TRY(const PlotInput input, read_input(request));
  std::error_code code;
  fs::create_directories(request.folder, code);
  if (code) return Error{Failure::io, request.folder + ": cannot be created: " + code.message()};
  Json figures = Json::array(), skipped = Json::array();
  for (const FigureKind& kind : figure_kinds()) {
    const auto& wanted = request.figures;
    if (!wanted.empty() && std::ranges::find(wanted, kind.name) == wanted.end()) continue;
    KE_TRY(Json entry, write_figure(kind, input, request, skipped));
    if (!entry.is_null()) figures.push_back(std::move(entry));
  }
  const Json manifest = {{"format", 1},
                         {"version", version()},
                         {"figures", std::move(figures)},
                         {"skipped", std::move(skipped)},
                         {"labels", labels_of(input.runs)},
                         {"runs", run_list(input.runs)},
                         {"made_by", json_of(provenance_of(input.runs).made_by)},
                         {"warning", warning_of(provenance_of(input.runs).made_by)},
                         {"missing", input.runs.missing}};
  KE_TRY_VOID(write_atomically((fs::path(request.folder) / "figures.json").string(),
                               json_text(manifest, JsonForm::lines) + "\n"));
  return manifest;
}

}  // namespace ke
