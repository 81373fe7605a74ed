#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/hash.hpp"
#include "core/strategies/operator_choice.hpp"
#include "experiments/run/choose_seeds.hpp"
#include "experiments/run/config/read_experiment.hpp"
#include "operators/llm/hints.hpp"
#include "operators/llm/providers/registry.hpp"
#include "operators/llm/sampling.hpp"
#include "operators/registry.hpp"

namespace ke {
void read_memory(Params& top, Experiment& experiment) {
  const bool listing = top.node() == nullptr;
  if (!top.has("memory") && !listing) return;  // not part of the identity of runs without memory
  Params section = top.section("memory");
  if (experiment.devices.size() > 1) {
    section.fail("", "has no place in a run on several devices: lessons are of one");
  }
  MemoryPlan& memory = experiment.memory.emplace();
  memory.snapshot = section.text("snapshot", "", "file of lessons of earlier runs: see 'export'");
  memory.sha256 = section.text("sha256", "", "SHA-256 of that file");
  memory.probability =
      section.real("probability", 1, {0, 1}, "chance that a prompt is told lessons");
  memory.lessons = section.integer("lessons", 3, {1, 16}, "how many of them at most");
  memory.tokens = section.integer("tokens", 900, {16, 100'000}, "limit of all of them together");
  memory.same_family = section.flag(
      "same_family", false, "also tell lessons of the same task and of its family, e.g. softmax1d");
  memory.exclude = section.texts("exclude", {}, "further tasks or families to tell nothing of");
  if (const Node* snapshot = section.raw("snapshot")) memory.place = snapshot->place.text();
  if (!listing && !parse_digest(memory.sha256)) {
    section.fail("sha256", fmt::format("= '{}' is not 64 hexadecimal digits", memory.sha256));
  }
}

namespace {

/// First operator of any island for which `property` holds; "" if there is none.
std::string operator_that(bool (Operator::*property)() const, const Experiment& experiment) {
  for (const IslandSpec& island : experiment.islands.each) {
    for (const OperatorWeight& weight : island.operators) {
      ParamLog log;
      Params defaults(nullptr, "", log);
      const auto* row = find_component(operators(), weight.name);
      if (row != nullptr && ((*row->make(defaults)).*property)()) return weight.name;
    }
  }
  return "";
}

/// True if an operator asks a model for a kernel when there is none yet.
bool drafts(std::string_view name) {
  ParamLog log;
  Params defaults(nullptr, "", log);
  const auto* row = find_component(operators(), name);
  const auto op = row == nullptr ? nullptr : row->make(defaults);
  if (op == nullptr || !op->asks() || op->arity() > 0) return false;
  const Seed shown;
  Context nothing_yet{};
  nothing_yet.interface = &shown;
  RandomStream random({0, 0, 0, 0, Purpose::vary});
  return std::holds_alternative<Request>(op->start({}, nothing_yet, random));
}

/// Requires a drafting operator per island: without seeds, an island has no parents until a draft
/// is ok.
void require_drafts(Params& top, const Experiment& experiment) {
  for (std::size_t i = 0; i < experiment.islands.each.size(); ++i) {
    const auto& operators = experiment.islands.each[i].operators;
    if (std::ranges::any_of(operators, [](const auto& one) { return drafts(one.name); })) continue;
    top.fail("kernels",
             fmt::format("= none: island {} has no operator that asks a language model for a first "
                         "kernel; give operators.llm_draft a weight",
                         i));
    return;
  }
}

void read_budget(Params& llm, LlmLimits& limits) {
  Params budget = llm.section("budget");
  limits.tokens = budget.integer("tokens", 0, {0, 1'000'000'000'000},
                                 "input and output tokens that end the run; 0 = no limit");
  limits.dollars = budget.real("dollars", 0, {0, 1e9}, "dollars that end the run; 0 = no limit");
}

std::int64_t read_repeats(Params& llm) {
  const bool listing = llm.node() == nullptr;
  if (!llm.has("repeats") && !listing) return 1;  // not part of the identity of other runs
  return llm.integer(
      "repeats", 1, {1, 64},
      "answers to each prompt, asked for before any of them counts: a step's further "
      "slots; 'compare --repeats' tells the model's scatter from the prompts'");
}

std::string read_sheets(Params& llm) {
  const bool listing = llm.node() == nullptr;
  if (!llm.has("sheets") && !listing) return "";  // not part of the identity of other runs
  return llm.text(
      "sheets", "",
      "file that keeps what letters tell of devices, made if missing: runs that share it "
      "write equal letters, which a bank needs; \"\" = each run measures anew");
}

}  // namespace

ModelPlan read_ensemble(Params& llm) {
  ModelPlan plan;
  const bool listing = llm.node() == nullptr;
  const auto common = read_sampling(llm);
  if (!common.empty()) plan.settings[""] = common;
  if (!llm.has("ensemble") && !listing) return plan;  // not part of the identity of other runs
  Params section = llm.section("ensemble");
  std::set<std::string> names;
  for (Params& model : section.sections(
           "models",
           "maps with model and weight, and temperature, top_p, seed or effort; with kind http "
           "also its price, and what differs from the endpoint of llm")) {
    const std::string name = model.required_text("model", "name of the model");
    const double weight = model.real("weight", 1, {1e-6, 1e6}, "how often it is asked");
    if (!names.insert(name).second) model.fail("model", fmt::format("= {} stands twice", name));
    plan.models.push_back({name, 0, weight});
    auto settings = read_sampling(model);
    settings.insert(common.begin(), common.end());
    plan.settings[name] = std::move(settings);
  }
  if (plan.models.empty() && !listing) section.fail("models", "names no model");
  Params selection = section.section("selection");
  plan.selection = read_model_choice(selection);
  return plan;
}

std::unique_ptr<HintPool> read_hints(Params& top) {
  const bool listing = top.node() == nullptr;
  if (!top.has("hints") && !listing) return nullptr;  // not part of the identity of other runs
  Params section = top.section("hints");
  HintPlan plan;
  plan.first = shipped_hints();
  plan.rate = section.real("rate", 0.1, {0, 1},
                           "chance that a letter with a hint goes with a request to rewrite it");
  plan.size = static_cast<std::size_t>(section.integer("size", 8, {std::ssize(plan.first), 1000},
                                                       "hints that letters draw from at most"));
  plan.editor = make_hint_editor(
      section.integer("tokens", 200, {16, 2000}, "limit of one hint; longer ones are refused"));
  Params selection = section.section("selection");
  plan.selection = read_hint_choice(selection);
  return std::make_unique<HintPool>(std::move(plan));
}

void check_hints(Params& top, const Experiment& experiment) {
  const bool wanted = read_hints(top) != nullptr && top.node() != nullptr;
  if (!wanted || !operator_that(&Operator::takes_hint, experiment).empty()) return;
  top.fail("hints", "are carried by no letter; give operators.llm_mutation or llm_draft a weight");
}

void read_llm(Params& top, Experiment& experiment) {
  experiment.llm = top.has("llm");
  const bool listing = top.node() == nullptr;
  if (starts_from_drafts(experiment.kernels) && !experiment.numeric) {
    require_drafts(top, experiment);
  }
  const std::string asking = operator_that(&Operator::asks, experiment);
  if (!experiment.llm && !listing) {
    if (asking.empty()) return;
    top.fail("llm", fmt::format("is missing; operators.{} asks a language model, and llm.kind says "
                                "who answers: see 'list providers'",
                                asking));
    return;
  }
  Params section = top.section("llm");
  if (!listing) make_llm_client(section, {});
  read_ensemble(section);
  experiment.repeats = read_repeats(section);
  experiment.sheets = read_sheets(section);
  read_budget(section, experiment.llm_limits);
}

}  // namespace ke
