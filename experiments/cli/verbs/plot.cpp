#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/text.hpp"
#include "experiments/cli/verbs.hpp"
#include "experiments/study/compare/curves.hpp"
#include "experiments/text/json.hpp"
#include "experiments/view/plot/draw.hpp"
#include "experiments/view/plot/figure.hpp"
#include "experiments/view/plot/plot_runs.hpp"

namespace ke::verbs {
namespace {

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (const std::string_view word : split(text, ',')) {
    if (!trim(word).empty()) words.emplace_back(trim(word));
  }
  return words;
}

Result<std::vector<std::string>> formats_of(const Arguments& arguments) {
  const auto formats = words_of(arguments.text("format"));
  const auto& known = drawing_formats();
  for (const std::string& format : formats) {
    if (std::ranges::find(known, format) != known.end()) continue;
    return Error{Failure::usage, fmt::format("plot: --format = {} is not one of {}", format,
                                             fmt::join(known, " | "))};
  }
  return formats;
}

void print_figures(const Json& manifest, const std::string& folder,
                   const std::vector<std::string>& formats, std::ostream& out) {
  for (const Json& figure : manifest["figures"]) {
    out << fmt::format("{}/{}.{{csv{}{}}}\n", folder, figure["name"].get<std::string>(),
                       formats.empty() ? "" : ",", fmt::join(formats, ","));
  }
  for (const Json& one : manifest["skipped"]) {
    out << fmt::format("no {}: {}\n", one["name"].get<std::string>(),
                       one["why"].get<std::string>());
  }
  for (const Json& line : manifest["missing"])
    out << "left out: " << line.get<std::string>() << "\n";
}

Result<int> run_plot(const Arguments& arguments, Console& console) {
  PlotRequest request;
  split_overrides(arguments.positionals(), request.runs, request.overrides);
  if (request.runs.empty()) return Error{Failure::usage, "plot: name a folder or run files"};
  request.figures = words_of(arguments.text("figure"));
  request.currency = arguments.text("against");
  request.folder = arguments.text("out");
  KE_TRY(const auto formats, formats_of(arguments));
  KE_TRY(const Json manifest, write_figures(request));
  const bool draw = !formats.empty() && !manifest["figures"].empty();
  const auto drawn =
      draw ? draw_figures(request.folder + "/figures.json", formats) : Result<void>();
  const bool pictures = draw && drawn;
  if (const std::string warning = manifest["warning"]; !warning.empty()) {
    console.err << "warning: " << warning << "\n";
  }
  if (arguments.has("json")) {
    write_json(console.out, manifest);
  } else {
    print_figures(manifest, request.folder, pictures ? formats : std::vector<std::string>(),
                  console.out);
  }
  if (!drawn) return drawn.error();
  return manifest["figures"].empty() ? exit_code::negative : exit_code::done;
}

std::string names_of_figures() {
  std::string text;
  for (const FigureKind& kind : figure_kinds()) {
    text += fmt::format("\n  {:<9} {}", kind.name, kind.doc);
  }
  return text;
}

}  // namespace

Verb plot() {
  return {
      .name = "plot",
      .positionals = "RUN ... [key=value ...]",
      .least = 1,
      .most = 100000,
      .summary = "draw the figures of a paper from runs, each with its table as CSV",
      .details =
          "RUN is a run file or a folder with run files; arms and analysis are those of\n"
          "'compare', and key=value changes the analysis as there. Needs the package\n"
          "python3-matplotlib; without it the tables are written all the same." +
          names_of_figures(),
      .options = {{"out", 'o', "FOLDER", "figures", "where to write"},
                  {"figure", 'f', "NAMES", "", "figures, separated by commas; all if not given"},
                  {"format", 0, "FORMATS", "svg,pdf,png",
                   "of the drawings, separated by commas; '' writes the tables alone"},
                  {"against",
                   0,
                   "CURRENCY",
                   "evaluations",
                   "of curves: what the runs spent",
                   {},
                   curve_currencies()}},
      .exit_codes = {exit_code::negative},
      .example = "kernelevolve plot runs/crossover -o figures --figure curves",
      .run = &run_plot};
}

}  // namespace ke::verbs
