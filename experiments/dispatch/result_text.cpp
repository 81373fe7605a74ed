#include "experiments/dispatch/result_text.hpp"

#include <fmt/format.h>

#include "experiments/text/json.hpp"
#include "experiments/text/opponent_name.hpp"
#include "experiments/text/table.hpp"
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

std::string mean_name(const WorkloadMean& mean, std::size_t shapes) {
  const char* const kind = mean.total_time        ? "total time"
                           : mean.weights.empty() ? "mean"
                                                  : "weighted mean";
  return fmt::format("{} of {}", kind, shapes);
}

}  // namespace

std::vector<DispatchMean> dispatch_means(const DispatchDevice& device, const std::string& against) {
  std::vector<DispatchMean> means;
  for (const char* role : {"bench", "validation", "holdout"}) {
    // Figures with what their shapes add to the mean, by the times of the figures' own opponent.
    struct Figures {
      std::vector<SpeedupFigure> list;
      std::vector<double> parts;
    };
    Figures dispatcher, champion;
    std::map<std::string, Figures> libraries;
    const auto add = [&](Figures& to, const SpeedupFigure& figure, const DispatchCheck& check,
                         const std::string& opponent) {
      const auto ns = check.opponents_ns.find(opponent);
      const bool timed = ns != check.opponents_ns.end();
      const bool known = timed || !device.mean.total_time;
      to.list.push_back(known ? figure : SpeedupFigure{0, {}, "the opponent was not timed"});
      to.parts.push_back(device.mean.part(check.label, timed ? ns->second : 1));
    };
    for (const DispatchCheck& check : device.checks) {
      if (check.role != role) continue;
      add(dispatcher, check.dispatcher, check, against);
      add(champion, check.champion, check, against);
      for (const auto& [name, figure] : check.libraries) add(libraries[name], figure, check, name);
    }
    const auto mean = [&](const Figures& figures) {
      return reported(mean_figure(figures.list, {device.mean, figures.parts}), device.within);
    };
    const std::size_t count = dispatcher.list.size();
    means.push_back({role, static_cast<int>(count), mean_name(device.mean, count), mean(dispatcher),
                     mean(champion)});
    for (const auto& [name, figures] : libraries) means.back().libraries[name] = mean(figures);
  }
  return means;
}

namespace {

/// The speedup of the library at holdout shapes, in words; "" for a task without them.
std::string deployed_text(const DispatchPlan& plan) {
  for (const DispatchMean& mean : dispatch_means(plan.devices.front(), plan.against)) {
    if (mean.role != "holdout" || mean.shapes == 0) continue;
    return fmt::format("{}: at holdout shapes, {}, the library is\n{}", plan.task, mean.name,
                       words_of(mean, plan));
  }
  return {};
}

}  // namespace

std::string against_text(const DispatchPlan& plan) {
  return plan.against == "anchor" ? "the anchor" : opponent_name(plan.against);
}

std::string words_of(const DispatchMean& mean, const DispatchPlan& plan) {
  std::string text = "  " + words_of(mean.dispatcher, against_text(plan)) + "\n";
  for (const auto& [name, figure] : mean.libraries) {
    text += "  " + words_of(figure, opponent_name(name)) + "\n";
  }
  return text;
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
  for (const DispatchMean& mean : dispatch_means(device, made.plan.against)) {
    add({mean.name, mean.role, ""}, mean);
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
          {"means", column(dispatch_means(device, made.plan.against), mean_json)},
          {"left_out", made.refused}};
}

}  // namespace ke
