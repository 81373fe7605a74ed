#include "archive/axis.hpp"
#include "experiments/cli/python_verbs.hpp"
#include "experiments/run/evaluators/evaluator_kind.hpp"
#include "experiments/text/json.hpp"

namespace ke::verbs {
namespace {

/// The measures that evaluators declare: {kind: {measure: [[label, value] of its categories]}}.
/// Those of devices whose files declare them are not known here.
Json known_measures() {
  Json known = Json::object();
  for (const auto& row : evaluator_kinds()) {
    const auto kind = row.make();
    if (kind->simulated()) continue;
    ParamLog log;
    Params none(nullptr, "", log);
    Json& own = known[std::string(row.name)] = Json::object();
    for (const AxisInfo& info : kind->measures(none)) {
      Json& categories = own[info.name] = Json::array();
      for (const Category& category : info.categories) {
        categories.push_back({category.label, category.value});
      }
    }
  }
  return known;
}

Result<int> run_axes(const Arguments& arguments, Console& console) {
  return run_in_python("axes", arguments, console, {"--known", json_text(known_measures())});
}

}  // namespace

Verb axes() {
  return {
      .name = "axes",
      .positionals = "RUN ...",
      .least = 1,
      .most = 100000,
      .summary = "say which measures of kernels make good axes of an archive, and propose some",
      .details =
          "A good axis puts kernels of one source, which differ in their knobs, into one bin, and\n"
          "kernels of different sources into different ones: both are counted over the pairs of\n"
          "valid kernels of each run and device. The table adds how evenly the bins are filled\n"
          "and how much of the speed they explain. The proposal, up to three axes that together\n"
          "tell sources apart best, is written as a configuration has it.",
      .options = {},
      .example = "kernelevolve axes runs/first",
      .run = &run_axes};
}

}  // namespace ke::verbs
