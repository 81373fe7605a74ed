#include "experiments/dispatch/result_text.hpp"

#include <fmt/format.h>

#include "experiments/text/json.hpp"
#include "experiments/text/opponent_name.hpp"
#include "experiments/text/table.hpp"
#include "experiments/view/report/json_number.hpp"
#include "experiments/view/report/run_json.hpp"
#include "experiments/view/report/run_tables.hpp"

namespace ke {
namespace {

std::string rule_text(const DispatchPlan& plan) {
  const DispatchDevice& device = plan.devices.front();
  const DispatchRule& rule = device.rule;
  std::string text =
      rule.kind == DispatchKind::nearest_shape
          ? fmt::format("the kernel of the nearest of {} shapes", device.shapes.size())
          : "one kernel";
  text += fmt::format(
      ", {} at shapes that are in an axis more than a factor of {:g} away or shorter than all of "
      "them",
      plan.anchor().name, rule.reach);
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
    const auto mean = [&](const auto& figures) {
      return reported(geometric_mean(figures), device.within);
    };
    means.push_back({role, static_cast<int>(dispatcher.size()), mean(dispatcher), mean(champion)});
    for (const auto& [name, figures] : libraries) means.back().libraries[name] = mean(figures);
  }
  return means;
}

namespace {

/// The speedup of the library at holdout shapes, in words; "" for a task without them.
std::string deployed_text(const DispatchPlan& plan) {
  for (const DispatchMean& mean : dispatch_means(plan.devices.front())) {
    if (mean.role != "holdout" || mean.shapes == 0) continue;
    std::string text =
        fmt::format("{}: at holdout shapes, mean of {}, the library is\n", plan.task, mean.shapes);
    text += "  " + words_of(mean.dispatcher, against_text(plan)) + "\n";
    for (const auto& [name, figure] : mean.libraries) {
      text += "  " + words_of(figure, opponent_name(name)) + "\n";
    }
    return text;
  }
  return {};
}

}  // namespace

std::string against_text(const DispatchPlan& plan) {
  return plan.against == "anchor" ? "the anchor" : opponent_name(plan.against);
}

std::string result_text(const std::string& folder, const DispatchResult& made) {
  const DispatchDevice& device = made.plan.devices.front();
  const std::string against = against_text(made.plan);
  std::vector<std::string> columns = {"shape", "role", "kernel", "library over " + against,
                                      "champion over " + against};
  std::vector<std::string> libraries;
  for (const auto& [name, figure] : device.checks.front().libraries) {
    libraries.push_back(name);
    columns.push_back("library over " + opponent_name(name));
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
         fmt::format("calls {}\n{}/lib{}.so, {}/{}.h\n", rule_text(made.plan), folder,
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
            {"libraries", json_of(check.libraries)},
            {"library_ns", check.library_ns},
            {"opponents_ns", check.opponents_ns}};
  };
  const auto mean_json = [](const DispatchMean& mean) -> Json {
    return {{"role", mean.role},
            {"shapes", mean.shapes},
            {"dispatcher", json_of(mean.dispatcher)},
            {"champion", json_of(mean.champion)},
            {"libraries", json_of(mean.libraries)}};
  };
  return {{"library", fmt::format("{}/lib{}.so", folder, made.plan.symbol)},
          {"against", made.plan.against},
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
