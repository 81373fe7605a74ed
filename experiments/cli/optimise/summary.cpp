#include "experiments/cli/optimise/summary.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "experiments/dispatch/result_text.hpp"
#include "experiments/run/progress.hpp"
#include "experiments/text/opponent_name.hpp"
#include "experiments/text/table.hpp"
#include "experiments/view/report/run_json.hpp"

namespace ke {
namespace {

namespace fs = std::filesystem;

/// The mean at holdout shapes; at bench shapes for a task without them.
DispatchMean deciding_mean(const DispatchPlan& plan) {
  const std::vector<DispatchMean> means = dispatch_means(plan.devices.front(), plan.against);
  return means.back().shapes > 0 ? means.back() : means.front();
}

std::string times_table(const DispatchPlan& plan) {
  std::vector<std::string> columns = {"shape", "role", "library"};
  const auto& checks = plan.devices.front().checks;
  if (checks.empty()) return {};
  std::vector<std::string> opponents;
  for (const auto& [name, ns] : checks.front().opponents_ns) {
    opponents.push_back(name);
    columns.push_back(opponent_name(name));
  }
  Table table(columns);
  const auto us = [](double ns) { return ns > 0 ? fmt::format("{:.1f} us", ns / 1e3) : "-"; };
  for (const DispatchCheck& check : checks) {
    std::vector<std::string> row = {check.label, check.role, us(check.library_ns)};
    for (const std::string& name : opponents) {
      const auto found = check.opponents_ns.find(name);
      row.push_back(us(found == check.opponents_ns.end() ? 0 : found->second));
    }
    table.add(row);
  }
  return table.text();
}

std::string task_text(const OptimisedTask& task) {
  if (!task.plan) return fmt::format("{}: not faster: {}\n", task.name, task.reason);
  const DispatchMean mean = deciding_mean(*task.plan);
  return fmt::format("{}: at {} {} shape{}\n", task.name, mean.shapes, mean.role,
                     mean.shapes == 1 ? "" : "s") +
         words_of(mean, *task.plan) + times_table(*task.plan);
}

std::string cost_text(const OptimiseSummary& summary) {
  std::string text = fmt::format("cost: {} answer{}, {} tokens, {:.2f} dollars", summary.answers,
                                 summary.answers == 1 ? "" : "s", summary.tokens, summary.dollars);
  for (const auto& [step, seconds] : summary.seconds) {
    text += fmt::format(", {} {}", step, clock_text(static_cast<std::int64_t>(seconds + 0.5)));
  }
  return text + "\n";
}

/// Lines of Python that use the package.
std::vector<std::string> usage(const OptimiseSummary& summary) {
  const fs::path package(summary.package);
  const std::string name = package.filename().string();
  std::vector<std::string> lines = {
      fmt::format("import sys; sys.path.insert(0, \"{}\"); import {}",
                  fs::absolute(package).parent_path().lexically_normal().string(), name)};
  if (summary.model) {
    lines.push_back(fmt::format("model = {}.load_model()", name));
    return lines;
  }
  for (const std::string& call : summary.calls) lines.push_back(fmt::format("{}.{}", name, call));
  return lines;
}

Json json_of(const OptimisedTask& task) {
  Json json = {{"task", task.name}, {"faster", task.faster()}, {"reason", task.reason}};
  if (!task.plan) return json;
  const DispatchMean mean = deciding_mean(*task.plan);
  json["against"] = task.plan->against;
  json["role"] = mean.role;
  json["shapes"] = mean.shapes;
  json["over"] = json_of(mean.libraries);
  json["over"][task.plan->against] = ke::json_of(mean.dispatcher);
  json["times_ns"] = column(task.plan->devices.front().checks, [](const DispatchCheck& check) {
    return Json{{"shape", check.label},
                {"role", check.role},
                {"library", check.library_ns},
                {"opponents", check.opponents_ns}};
  });
  return json;
}

}  // namespace

bool OptimisedTask::faster() const {
  if (!plan) return false;
  const SpeedupFigure figure = deciding_mean(*plan).dispatcher;
  return figure.speedup > 0 && figure.ci.low > 1;
}

std::string text_of(const OptimiseSummary& summary) {
  std::string text;
  for (const OptimisedTask& task : summary.tasks) text += task_text(task) + "\n";
  text += summary.model_figures + cost_text(summary);
  if (summary.package.empty()) return text + "nothing is faster, so no package was made\n";
  text += fmt::format("package: {}; in Python:\n", summary.package);
  for (const std::string& line : usage(summary)) text += "  " + line + "\n";
  if (summary.model) return text;
  return text +
         "  under torch.inference_mode(); where an input wants a gradient, the module's own "
         "formula computes instead\n";
}

Json json_of(const OptimiseSummary& summary) {
  const bool made = !summary.package.empty();
  return {{"tasks", column(summary.tasks, [](const auto& task) { return json_of(task); })},
          {"cost",
           {{"answers", summary.answers},
            {"tokens", summary.tokens},
            {"dollars", summary.dollars},
            {"seconds", summary.seconds}}},
          {"package", made ? Json(summary.package) : Json(nullptr)},
          {"use", made ? usage(summary) : std::vector<std::string>()}};
}

}  // namespace ke
