#include <nlohmann/json.hpp>
#include <string>

#include "core/json.hpp"
#include "core/line_program.hpp"
#include "core/operator.hpp"
#include "operators/registry.hpp"

namespace ke {
namespace {

/// Knob values are strings; converts numbers and booleans of an answer.
std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : json_text(value);
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

/// {language, name, source, knobs: {NAME: value}, flags: [..], launch_plan}
Json json_of(const Kernel& kernel) {
  return {{"language", kernel.language}, {"name", kernel.name},
          {"source", kernel.source},     {"knobs", kernel.knobs},
          {"flags", kernel.flags},       {"launch_plan", kernel.launch_plan}};
}

/// {knobs: [{name, kind, values}], flags: [[alternative, ..]], constraints: [text]}
Json json_of(const KernelSpace& space) {
  Json knobs = Json::array();
  for (const Knob& knob : space.knobs) {
    knobs.push_back({{"name", knob.name}, {"kind", to_string(knob.kind)}, {"values", knob.values}});
  }
  Json flags = Json::array();
  for (const FlagGene& gene : space.flag_genes) flags.push_back(gene.alternatives);
  Json constraints = Json::array();
  for (const Expression& constraint : space.constraints) constraints.push_back(constraint.text());
  return {{"knobs", knobs}, {"flags", flags}, {"constraints", constraints}};
}

/// {id, role, operator, kernel, space, verdict, reason, message, objective, measures, feedback}
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

/// The kernel of an answer; takes missing fields from `base`. Nothing when the JSON is malformed or
/// a value has the wrong type; `why` is then a reason code.
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

/// Lets an external program vary kernels, over JSON lines on its input and output:
///   {"vary": {"id", "random", "parents": [..], "seeds": [{"kernel", "space"}, ..]}}
///   {"kernel": {..}}  or  {"no_child": "reason"}
/// `random` is a number from the slot's own stream: a program that uses no other randomness can be
/// replayed. A kernel may omit what it shares with the first parent (or first seed). Needs
/// `parents` parents. If the program exits, misses the deadline or breaks the protocol, the outcome
/// is NoChild{program_failed} or NoChild{program_answer}; after three starts it is not started
/// again. Unlike other operators it waits for the program.
class CommandOperator final : public Operator {
 public:
  explicit CommandOperator(Params& params)
      : parents_(static_cast<int>(params.integer("parents", 1, {0, 16}, "parents it needs"))),
        program_(options(params)) {}

  int arity() const override { return parents_; }

  Outcome start(std::span<const Parent> parents, const Context& context,
                RandomStream& random) const override {
    const auto answer = program_.exchange(json_text(request(parents, context, random)));
    if (!answer) return NoChild{"program_failed"};
    const Json json = parse_json(*answer);
    if (!json.is_object()) return NoChild{"program_answer"};
    if (json.contains("no_child") && json["no_child"].is_string()) {
      return NoChild{json["no_child"].get<std::string>().substr(0, longest_reason)};
    }
    return kernel(json, parents, context);
  }

 private:
  static constexpr std::size_t longest_reason = 64;

  static LineProgram::Options options(Params& params) {
    LineProgram::Options options;
    options.command = params.texts("program", {}, "program and its arguments");
    if (options.command.empty()) params.fail("program", "is missing");
    options.deadline = std::chrono::milliseconds(
        params.duration_ms("deadline", "10s", {1, 86'400'000}, "how long one answer may take"));
    options.max_starts = 3;
    return options;
  }

  static Json request(std::span<const Parent> parents, const Context& context,
                      RandomStream& random) {
    Json list = Json::array();
    for (const Parent& parent : parents) list.push_back(json_of(parent));
    Json seeds = Json::array();
    for (const Seed& seed : context.seeds) {
      seeds.push_back({{"kernel", json_of(seed.kernel)}, {"space", json_of(*seed.space)}});
    }
    return {{"vary",
             {{"id", context.id.text()},
              {"random", random.bits()},
              {"parents", list},
              {"seeds", seeds}}}};
  }

  static Outcome kernel(const Json& json, std::span<const Parent> parents, const Context& context) {
    if (!json.contains("kernel")) return NoChild{"program_answer"};
    if (parents.empty() && context.seeds.empty()) return NoChild{"no_seeds"};
    const Kernel& base = parents.empty() ? context.seeds[0].kernel : parents[0].candidate->kernel;
    const KernelSpace* space =
        parents.empty() ? context.seeds[0].space.get() : parents[0].candidate->space.get();
    std::string why;
    auto kernel = kernel_of(json["kernel"], base, why);
    if (!kernel) return NoChild{why};
    const bool same_source = kernel->source == base.source;
    if (same_source && space != nullptr && !space->admits(*kernel)) return NoChild{"constraints"};
    return *std::move(kernel);
  }

  int parents_;
  mutable LineProgram program_;
};

}  // namespace

std::unique_ptr<Operator> make_command_operator(Params& params) {
  return std::make_unique<CommandOperator>(params);
}

}  // namespace ke
