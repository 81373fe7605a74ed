#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/text.hpp"
#include "experiments/cli/verb.hpp"
#include "experiments/run/config/components.hpp"
#include "experiments/run/config/experiment.hpp"
#include "experiments/run/places.hpp"
#include "experiments/study/sweep/sweep.hpp"
#include "experiments/text/json.hpp"
#include "experiments/text/table.hpp"

namespace ke::verbs {
namespace {

struct Topic {
  std::string_view plural;
  std::string_view kind;
};
constexpr std::array<Topic, 6> component_topics = {{{"operators", "operator"},
                                                    {"strategies", "strategy"},
                                                    {"topologies", "topology"},
                                                    {"archives", "archive"},
                                                    {"evaluators", "evaluator"},
                                                    {"providers", "provider"}}};

std::vector<std::string> topic_names() {
  std::vector<std::string> names = {"tasks", "options", "sweep", "verbs"};
  for (const Topic& topic : component_topics) names.emplace_back(topic.plural);
  return names;
}

Json json_of(const Option& option) {
  return {{"name", option.path},
          {"type", option.type},
          {"range", option.range},
          {"default", option.fallback},
          {"doc", option.doc}};
}

Json json_of(const std::vector<Option>& options) {
  return column(options, [](const Option& option) { return json_of(option); });
}

Json json_of_kind(std::string_view kind) {
  Json list = Json::array();
  for (const ComponentInfo& component : all_components()) {
    if (component.kind != kind) continue;
    list.push_back({{"name", component.name},
                    {"doc", component.doc},
                    {"options", json_of(component.options)}});
  }
  return list;
}

Json json_of(const VerbOption& option) {
  return {{"name", option.name},
          {"letter", option.letter == 0 ? "" : std::string(1, option.letter)},
          {"value", option.value},
          {"type", option.type()},
          {"range", option.range()},
          {"default", option.fallback},
          {"doc", option.doc}};
}

Json json_of(const Verb& verb) {
  Json json = {{"name", verb.name},
               {"positionals", verb.positionals},
               {"summary", verb.summary},
               {"details", verb.details},
               {"example", verb.example}};
  json["options"] = column(options_of(verb), [](const auto& option) { return json_of(option); });
  json["exit_codes"] = column(exit_codes_of(verb), [](const ExitCode& one) {
    return Json{{"code", one.code}, {"meaning", one.meaning}};
  });
  return json;
}

Json everything(const std::string& only) {
  Json all;
  const auto wanted = [&](std::string_view topic) { return only.empty() || only == topic; };
  if (wanted("tasks")) all["tasks"] = known_tasks();
  for (const Topic& topic : component_topics) {
    if (wanted(topic.plural)) all[std::string(topic.plural)] = json_of_kind(topic.kind);
  }
  if (wanted("options")) all["options"] = json_of(experiment_options());
  if (wanted("sweep")) all["sweep"] = json_of(sweep_options());
  if (wanted("verbs"))
    all["verbs"] = column(all_verbs(), [](const auto& verb) { return json_of(verb); });
  return all;
}

std::string components_text() {
  Table table({"kind", "name", "what it does"});
  for (const ComponentInfo& c : all_components()) table.add({c.kind, c.name, c.doc});
  return table.text();
}

std::string kind_text(std::string_view kind) {
  Table table({"name", "what it does"});
  for (const ComponentInfo& c : all_components()) {
    if (c.kind == kind) table.add({c.name, c.doc});
  }
  return table.text();
}

std::string options_text(const std::vector<Option>& options) {
  Table table({"option", "type", "default", "range", "doc"});
  for (const Option& o : options) {
    table.add({o.path, o.type, o.fallback, o.range, o.doc});
  }
  return table.text();
}

std::string verbs_text() {
  Table table({"verb", "what it does"});
  for (const Verb& verb : all_verbs()) table.add({verb.name, verb.summary});
  return table.text();
}

std::string tasks_text() {
  std::string text;
  for (const std::string& name : known_tasks()) text += name + "\n";
  return text;
}

std::string text_of(const std::string& topic) {
  if (topic.empty()) return "Tasks\n" + tasks_text() + "\n" + components_text();
  if (topic == "tasks") return tasks_text();
  if (topic == "options") return options_text(experiment_options());
  if (topic == "sweep") return options_text(sweep_options());
  if (topic == "verbs") return verbs_text();
  for (const Topic& t : component_topics) {
    if (topic == t.plural) return kind_text(t.kind);
  }
  return {};
}

Result<int> run_list(const Arguments& arguments, Console& console) {
  const auto& words = arguments.positionals();
  const std::string topic = words.empty() ? "" : words[0];
  const auto names = topic_names();
  if (!topic.empty() && std::find(names.begin(), names.end(), topic) == names.end()) {
    return Error{Failure::usage,
                 fmt::format("list: no topic '{}'{}", topic, suggestion(topic, names))};
  }
  write_either(console.out, arguments.has("json"), everything(topic), text_of(topic));
  return exit_code::done;
}

}  // namespace

Verb list() {
  return {.name = "list",
          .positionals = "[TOPIC]",
          .least = 0,
          .most = 1,
          .summary = "print tasks, components and every option with type, range and default",
          .details =
              "TOPIC is one of tasks, operators, strategies, topologies, archives,\n"
              "evaluators, providers, options, sweep, verbs; without it, tasks and components.",
          .options = {},
          .example = "kernelevolve list options",
          .run = &run_list};
}

}  // namespace ke::verbs
