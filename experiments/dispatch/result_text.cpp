#include "experiments/dispatch/result_text.hpp"

#include <fmt/format.h>

#include "experiments/text/json.hpp"
#include "experiments/text/table.hpp"
#include "experiments/view/report/json_number.hpp"
#include "experiments/view/report/run_json.hpp"
#include "experiments/view/report/run_tables.hpp"

namespace ke {
namespace {

std::string rule_text(const DispatchDevice& device) {
  const DispatchRule& rule = device.rule;
  std::string text =
      rule.kind == DispatchKind::nearest_shape
          ? fmt::format("the kernel of the nearest of {} shapes", device.shapes.size())
          : "one kernel";
  text += fmt::format(
      ", the anchor at shapes that are in an axis more than a factor of {:g} away or shorter than "
      "all of them",
      rule.reach);
  if (rule.left_out_nearest == 0) return text;
  return text + fmt::format(" (at shapes left out in turn: nearest {:.3f}x, one kernel {:.3f}x)",
                            rule.left_out_nearest, rule.left_out_one);
}

}  // namespace

std::vector<DispatchMean> dispatch_means(const DispatchDevice& device) {
  std::vector<DispatchMean> means;
  for (const char* role : {"bench", "validation", "holdout"}) {
    std::vector<SpeedupFigure> dispatcher, champion;
    std::map<std::string, std::vector<SpeedupFigure>> libraries;
    for (const DispatchCheck& check : device.checks) {
      if (check.role != role) continue;
      dispatcher.push_back(check.dispatcher);
      champion.push_back(check.champion);
      for (const auto& [name, figure] : check.libraries) libraries[name].push_back(figure);
    }
    means.push_back({role, static_cast<int>(dispatcher.size()), geometric_mean(dispatcher),
                     geometric_mean(champion)});
    for (const auto& [name, figures] : libraries) {
      means.back().libraries[name] = geometric_mean(figures);
    }
  }
  return means;
}

namespace {

/// The library's mean speedup over the anchor at holdout shapes; "" for a task without them.
std::string deployed_text(const DispatchPlan& plan) {
  for (const DispatchMean& mean : dispatch_means(plan.devices.front())) {
    if (mean.role != "holdout" || mean.shapes == 0) continue;
    std::string text =
        fmt::format("{}: the library is {} of the anchor", plan.task, figure_text(mean.dispatcher));
    for (const auto& [name, figure] : mean.libraries) {
      text += fmt::format(", {} of {}", figure_text(figure), name);
    }
    return text + fmt::format(", mean of {} holdout shapes\n", mean.shapes);
  }
  return {};
}

}  // namespace

std::string result_text(const std::string& folder, const DispatchResult& made) {
  const DispatchDevice& device = made.plan.devices.front();
  std::vector<std::string> columns = {"shape", "role", "kernel", "dispatcher over anchor",
                                      "champion over anchor"};
  std::vector<std::string> libraries;
  for (const auto& [name, figure] : device.checks.front().libraries) {
    libraries.push_back(name);
    columns.push_back("dispatcher over " + name);
  }
  Table table(columns);
  const auto add = [&](std::vector<std::string> row, const auto& of) {
    row.push_back(figure_text(of.dispatcher));
    row.push_back(figure_text(of.champion));
    for (const std::string& name : libraries) {
      const auto figure = of.libraries.find(name);
      row.push_back(figure == of.libraries.end() ? "-" : figure_text(figure->second));
    }
    table.add(row);
  };
  for (const DispatchCheck& check : device.checks) {
    add({check.label, check.role, check.variant}, check);
  }
  for (const DispatchMean& mean : dispatch_means(device)) {
    add({fmt::format("mean of {}", mean.shapes), mean.role, ""}, mean);
  }
  std::string text = table.text();
  for (const std::string& refused : made.refused) text += "left out: " + refused + "\n";
  return text +
         fmt::format("calls {}\n{}/lib{}.so, {}/{}.h\n", rule_text(device), folder,
                     made.plan.symbol, folder, made.plan.symbol) +
         deployed_text(made.plan);
}

Json json_of(const std::string& folder, const DispatchResult& made) {
  const DispatchDevice& device = made.plan.devices.front();
  const auto check_json = [](const DispatchCheck& check) -> Json {
    return {{"shape", check.label},
            {"role", check.role},
            {"variant", check.variant},
            {"dispatcher", json_of(check.dispatcher)},
            {"champion", json_of(check.champion)},
            {"libraries", json_of(check.libraries)}};
  };
  const auto mean_json = [](const DispatchMean& mean) -> Json {
    return {{"role", mean.role},
            {"shapes", mean.shapes},
            {"dispatcher", json_of(mean.dispatcher)},
            {"champion", json_of(mean.champion)},
            {"libraries", json_of(mean.libraries)}};
  };
  return {{"library", fmt::format("{}/lib{}.so", folder, made.plan.symbol)},
          {"header", fmt::format("{}/{}.h", folder, made.plan.symbol)},
          {"rule", to_string(device.rule.kind)},
          {"reach", device.rule.reach},
          {"left_out_nearest", number(device.rule.left_out_nearest)},
          {"left_out_one", number(device.rule.left_out_one)},
          {"variants", column(made.plan.variants, [](const auto& one) { return one.name; })},
          {"shapes", column(device.checks, check_json)},
          {"means", column(dispatch_means(device), mean_json)},
          {"left_out", made.refused}};
}

}  // namespace ke
