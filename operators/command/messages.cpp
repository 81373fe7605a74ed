#include "operators/command/messages.hpp"

namespace ke {
namespace {

/// Knob values are strings; converts numbers and booleans of an answer.
std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : json_text(value);
}

std::string_view name_of(KnobKind kind) {
  switch (kind) {
    case KnobKind::integer: return "integer";
    case KnobKind::boolean: return "boolean";
    case KnobKind::enumeration: break;
  }
  return "enumeration";
}

bool read_text(const Json& json, const char* key, std::string& into) {
  if (!json.contains(key)) return true;
  if (!json[key].is_string()) return false;
  into = json[key].get<std::string>();
  return true;
}

bool read_knobs(const Json& json, Kernel& kernel) {
  if (!json.contains("knobs")) return true;
  if (!json["knobs"].is_object()) return false;
  for (const auto& [name, value] : json["knobs"].items()) kernel.knobs[name] = text_of(value);
  return true;
}

bool read_flags(const Json& json, Kernel& kernel) {
  if (!json.contains("flags")) return true;
  if (!json["flags"].is_array()) return false;
  kernel.flags.clear();
  for (const Json& flag : json["flags"]) kernel.flags.push_back(text_of(flag));
  return true;
}

}  // namespace

Json json_of(const Kernel& kernel) {
  return {{"language", kernel.language}, {"name", kernel.name},
          {"source", kernel.source},     {"knobs", kernel.knobs},
          {"flags", kernel.flags},       {"launch_plan", kernel.launch_plan}};
}

Json json_of(const KernelSpace& space) {
  Json knobs = Json::array();
  for (const Knob& knob : space.knobs) {
    knobs.push_back({{"name", knob.name}, {"kind", name_of(knob.kind)}, {"values", knob.values}});
  }
  Json flags = Json::array();
  for (const FlagGene& gene : space.flag_genes) flags.push_back(gene.alternatives);
  Json constraints = Json::array();
  for (const Expression& constraint : space.constraints) constraints.push_back(constraint.text());
  return {{"knobs", knobs}, {"flags", flags}, {"constraints", constraints}};
}

Json json_of(const Parent& parent) {
  const Candidate& candidate = *parent.candidate;
  const Evaluation& evaluation = candidate.evaluation;
  Json json = {{"id", candidate.id.text()},
               {"role", to_string(parent.role)},
               {"operator", candidate.operator_name},
               {"kernel", json_of(candidate.kernel)},
               {"verdict", to_string(evaluation.verdict)},
               {"reason", evaluation.reason},
               {"message", evaluation.message},
               {"objective", evaluation.objective},
               {"measures", evaluation.measures},
               {"feedback", evaluation.feedback}};
  if (candidate.space) json["space"] = json_of(*candidate.space);
  return json;
}

std::optional<Kernel> kernel_of(const Json& json, const Kernel& base, std::string& why) {
  why = "program_answer";
  if (!json.is_object()) return std::nullopt;
  Kernel kernel = base;
  const bool texts = read_text(json, "language", kernel.language) &&
                     read_text(json, "name", kernel.name) &&
                     read_text(json, "source", kernel.source) &&
                     read_text(json, "launch_plan", kernel.launch_plan);
  const bool new_source = kernel.source != base.source;
  if (new_source) {
    // A new source has its own declarations, at their defaults.
    auto space = parse_kernel_space(kernel.name, kernel.source);
    why = "bad_declarations";
    if (!space) return std::nullopt;
    const Kernel defaults = space->defaults(kernel.name, kernel.source);
    kernel.knobs = defaults.knobs;
    kernel.flags = defaults.flags;
    why = "program_answer";
  }
  if (!texts || !read_knobs(json, kernel) || !read_flags(json, kernel)) return std::nullopt;
  return kernel;
}

}  // namespace ke
