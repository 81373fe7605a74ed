#include <fmt/format.h>

#include <cmath>

#include "experiments/study/compare/contrast.hpp"
#include "experiments/study/compare/report.hpp"

namespace ke {
namespace {

/// Writes infinities and NaN, which JSON lacks, as null.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
Json number(const std::optional<double>& value) { return value ? number(*value) : Json(nullptr); }

Json json_of(const Figure& figure) {
  return {{"value", number(figure.value)},
          {"ci", Json::array({number(figure.low), number(figure.high)})}};
}

/// Shares of tasks above each threshold; empty where no speedups are compared.
Json json_of_fast(const std::vector<double>& shares) {
  Json json = Json::object();
  for (std::size_t i = 0; i < shares.size(); ++i) {
    json[fmt::format("{:g}", fast_thresholds.at(i))] = number(shares[i]);
  }
  return json;
}

Json json_of(const ArmFigures& arm) {
  Json json = {
      {"name", arm.name},          {"tasks", arm.tasks},
      {"runs", arm.runs},          {"censored", arm.censored},
      {"mean", json_of(arm.mean)}, {"median", number(arm.median)},
      {"iqm", number(arm.iqm)},    {"expected_running_time", number(arm.expected_running_time)}};
  json["fast"] = json_of_fast(arm.fast);
  json["sol"] = number(arm.sol);
  json["sol_runs"] = arm.sol_runs;
  json["groups"] = Json::array();
  for (const GroupFigures& group : arm.groups) {
    json["groups"].push_back({{"name", group.name},
                              {"tasks", group.tasks},
                              {"mean", number(group.mean)},
                              {"fast", json_of_fast(group.fast)}});
  }
  return json;
}

Json json_of(const Contrast& c) {
  return {{"arm", c.arm},
          {"units", c.units},
          {"pairs", c.pairs},
          {"effect", json_of(c.effect)},
          {"p", number(c.p)},
          {"p_adjusted", number(c.p_adjusted)},
          {"p_equivalence", number(c.p_equivalence)},
          {"a12", c.a12},
          {"conclusion", to_string(c.conclusion)},
          {"unit_values", c.unit_values}};
}

Json json_of(const ShareCurve& curve) {
  if (curve.thresholds.empty()) return nullptr;
  return {{"thresholds", curve.thresholds}, {"shares", curve.shares}};
}

Json json_of_ranks(const ArmComparison& comparison) {
  if (!comparison.ranks) return nullptr;
  const auto& ranks = *comparison.ranks;
  return {{"arms", comparison.rank_arms},
          {"average", ranks.average_ranks},
          {"friedman", ranks.friedman},
          {"p", ranks.friedman_p},
          {"critical_difference", ranks.critical_difference},
          {"groups", ranks.groups}};
}

Json json_of_held_out(const ArmComparison& comparison) {
  if (comparison.held_out.empty()) return nullptr;
  const auto effect = [&](double gain) { return effect_of(comparison.analysis, gain); };
  Json json = {{"effect", effect(mean_gain(comparison.held_out))}, {"tasks", Json::array()}};
  for (const HeldOut& one : comparison.held_out) {
    json["tasks"].push_back({{"task", one.task}, {"arm", one.arm}, {"effect", effect(one.gain)}});
  }
  return json;
}

Json json_of(const std::vector<FactorEffects>& effects) {
  if (effects.empty()) return nullptr;
  Json list = Json::array();
  for (const FactorEffects& one : effects) {
    Json factor = {{"factor", one.factor},
                   {"reference", one.comparison.analysis.reference},
                   {"levels", Json::array()},
                   {"contrasts", Json::array()}};
    for (const ArmFigures& level : one.comparison.arms) factor["levels"].push_back(json_of(level));
    for (const Contrast& c : one.comparison.contrasts) factor["contrasts"].push_back(json_of(c));
    list.push_back(std::move(factor));
  }
  return list;
}

Json json_of(const Provenance& p) {
  Json configs = Json::object();
  for (const auto& [arm, ids] : p.config_ids) configs[arm] = ids;
  return {{"tasks", p.tasks},
          {"seeds", p.seeds},
          {"lag", p.lags},
          {"budgets", p.budgets},
          {"hardware", p.hardware},
          {"config_ids", configs},
          {"made_by", json_of(p.made_by)}};
}

}  // namespace

Json json_of(const PowerPlan& plan) {
  Json json = {{"units", plan.units},
               {"alpha", plan.alpha},
               {"missing", plan.missing},
               {"rows", Json::array()}};
  for (const PowerRow& row : plan.rows) {
    json["rows"].push_back({{"arm", row.arm},
                            {"pilot_units", row.pilot_units},
                            {"power", row.power},
                            {"units_needed", row.units_needed}});
  }
  return json;
}

Json json_of(const std::vector<ArmScatter>& arms) {
  const auto variance = [](const statistics::Variance& v) -> Json {
    return {{"value", v.value}, {"ci", {number(v.ci.low), number(v.ci.high)}}};
  };
  Json list = Json::array();
  for (const ArmScatter& one : arms) {
    list.push_back({{"arm", one.arm},
                    {"prompts", one.found.groups},
                    {"answers", one.found.values},
                    {"between", variance(one.found.between)},
                    {"within", variance(one.found.within)},
                    {"share", variance(one.found.share)}});
  }
  return list;
}

Json json_of(const ComparisonReport& report) {
  const ArmComparison& comparison = report.comparison;
  const Analysis& a = comparison.analysis;
  Json json = {{"analysis",
                {{"hash", report.analysis_hash},
                 {"declared", report.exploratory.empty()},
                 {"endpoint", to_string(a.endpoint)},
                 {"reference", a.reference},
                 {"unit", to_string(a.unit)},
                 {"test", to_string(a.test)},
                 {"scale", a.log_scale ? "log" : "linear"},
                 {"alpha", a.alpha},
                 {"min_effect", a.min_effect},
                 {"text", a.canonical_text}}},
               {"exploratory", report.exploratory},
               {"caption", caption_of(comparison, report.provenance, !report.exploratory.empty())},
               {"currency", report.currency},
               {"carried_forward", report.carried_forward},
               {"provenance", json_of(report.provenance)},
               {"arms", Json::array()},
               {"contrasts", Json::array()},
               {"ranks", json_of_ranks(comparison)},
               {"main_effects", json_of(report.main_effects)},
               {"leave_one_out", json_of_held_out(comparison)},
               {"profile", json_of(report.shares.profile)},
               {"distribution", json_of(report.shares.distribution)},
               {"fast_p", json_of(report.shares.fast_p)},
               {"power", report.power ? json_of(*report.power) : Json(nullptr)},
               {"repeats", json_of(report.repeats)},
               {"notes", comparison.notes},
               {"missing", report.missing}};
  for (const ArmFigures& arm : comparison.arms) json["arms"].push_back(json_of(arm));
  for (const Contrast& c : comparison.contrasts) json["contrasts"].push_back(json_of(c));
  return json;
}

}  // namespace ke
