#include "experiments/dispatch/result_text.hpp"

#include <fmt/format.h>

#include "experiments/cli/json.hpp"
#include "experiments/cli/table.hpp"
#include "experiments/report/json_number.hpp"
#include "experiments/report/run_json.hpp"
#include "experiments/report/run_tables.hpp"

namespace ke {
namespace {

std::string rule_text(const DispatchDevice& device) {
  const DispatchRule& rule = device.rule;
  std::string text =
      rule.kind == DispatchKind::nearest_shape
          ? fmt::format("the kernel of the nearest of {} shapes", device.shapes.size())
          : "one kernel everywhere";
  if (rule.left_out_nearest == 0) return text;
  return text + fmt::format(" (at shapes left out in turn: nearest {:.3f}x, one kernel {:.3f}x)",
                            rule.left_out_nearest, rule.left_out_one);
}

}  // namespace

std::vector<DispatchMean> dispatch_means(const DispatchDevice& device) {
  std::vector<DispatchMean> means;
  for (const char* role : {"bench", "validation", "holdout"}) {
    std::vector<SpeedupFigure> dispatcher, champion;
    for (const DispatchCheck& check : device.checks) {
      if (check.role != role) continue;
      dispatcher.push_back(check.dispatcher);
      champion.push_back(check.champion);
    }
    means.push_back({role, static_cast<int>(dispatcher.size()), geometric_mean(dispatcher),
                     geometric_mean(champion)});
  }
  return means;
}

std::string result_text(const std::string& folder, const DispatchResult& made) {
  const DispatchDevice& device = made.plan.devices.front();
  Table table({"shape", "role", "kernel", "dispatcher over anchor", "champion over anchor"});
  for (const DispatchCheck& check : device.checks) {
    table.add({check.label, check.role, check.variant, figure_text(check.dispatcher),
               figure_text(check.champion)});
  }
  for (const DispatchMean& mean : dispatch_means(device)) {
    table.add({fmt::format("mean of {}", mean.shapes), mean.role, "", figure_text(mean.dispatcher),
               figure_text(mean.champion)});
  }
  std::string text = table.text();
  for (const std::string& refused : made.refused) text += "left out: " + refused + "\n";
  return text + fmt::format("calls {}\n{}/lib{}.so, {}/{}.h\n", rule_text(device), folder,
                            made.plan.symbol, folder, made.plan.symbol);
}

Json json_of(const std::string& folder, const DispatchResult& made) {
  const DispatchDevice& device = made.plan.devices.front();
  const auto check_json = [](const DispatchCheck& check) -> Json {
    return {{"shape", check.label},
            {"role", check.role},
            {"variant", check.variant},
            {"dispatcher", json_of(check.dispatcher)},
            {"champion", json_of(check.champion)}};
  };
  const auto mean_json = [](const DispatchMean& mean) -> Json {
    return {{"role", mean.role},
            {"shapes", mean.shapes},
            {"dispatcher", json_of(mean.dispatcher)},
            {"champion", json_of(mean.champion)}};
  };
  return {{"library", fmt::format("{}/lib{}.so", folder, made.plan.symbol)},
          {"header", fmt::format("{}/{}.h", folder, made.plan.symbol)},
          {"rule", to_string(device.rule.kind)},
          {"left_out_nearest", number(device.rule.left_out_nearest)},
          {"left_out_one", number(device.rule.left_out_one)},
          {"variants", column(made.plan.variants, [](const auto& one) { return one.name; })},
          {"shapes", column(device.checks, check_json)},
          {"means", column(dispatch_means(device), mean_json)},
          {"left_out", made.refused}};
}

}  // namespace ke
