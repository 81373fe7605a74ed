// An external program decides, over JSON lines; it answers each line with one line.
//   {"start": {"protocol": 1, "operators": [{"name", "arity", "weight"}, ..], "random"}} -> {}
//   {"tell": {"id", "operator", "parents", "outcome", "verdict", "objective", "measures",
//             "addition", "knobs", "flags", "space"}} -> {}
//   {"ask": {"step", "random"}} -> {"operator": NAME, "parents": [ID, ..]}
//                               or {"knobs": {NAME: value}, "flags": [..], "of": ID}
//                               or {}: a new kernel from an operator without parents
// The second form of an answer is a kernel with the source of candidate ID; flags are optional.
// `space` comes with the first candidate of each source: {"source", "knobs": [{"name", "kind",
// "values"}], "flags": [[alternative, ..]]}; later candidates only name the source. `random` is
// drawn from the island's stream: a program that uses no other randomness can be replayed and
// resumed, since a resumed run repeats all tells and asks. The opening is the same as for every
// strategy. If the program exits, misses the deadline or breaks the protocol, the run ends with an
// error that says so.

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "core/json.hpp"
#include "core/knob_space.hpp"
#include "core/line_program.hpp"
#include "core/registry.hpp"
#include "core/strategies/choose.hpp"

namespace ke {
namespace {

Json json_of(const KernelSpace& space) {
  Json knobs = Json::array();
  for (const Knob& knob : space.knobs) {
    knobs.push_back({{"name", knob.name}, {"kind", to_string(knob.kind)}, {"values", knob.values}});
  }
  Json flags = Json::array();
  for (const FlagGene& gene : space.flag_genes) flags.push_back(gene.alternatives);
  return {{"knobs", knobs}, {"flags", flags}};
}

Json operators_of(const IslandView& view) {
  Json list = Json::array();
  for (const OperatorChoice& choice : view.operators) {
    if (choice.weight == 0) continue;
    list.push_back({{"name", choice.name}, {"arity", choice.arity}, {"weight", choice.weight}});
  }
  return list;
}

class CommandStrategy final : public Strategy {
 public:
  explicit CommandStrategy(Params& params) : program_(options(params)) {}

  Proposal ask(const IslandView& view, RandomStream& random) override {
    if (auto first = opening(view, random)) return *first;
    const std::int64_t number = random.bits();
    if (!started_) {
      started_ = true;
      send({{"start", {{"protocol", 1}, {"operators", operators_of(view)}, {"random", number}}}});
    }
    for (const Json& told : waiting_) send({{"tell", told}});
    waiting_.clear();
    const Json answer = send({{"ask", {{"step", view.step}, {"random", number}}}});
    if (failure_ || answer.empty()) return fresh(view, random);
    Proposal proposal = answer.contains("knobs") ? made(answer) : named(answer, view);
    return failure_ ? fresh(view, random) : proposal;
  }

  void tell(const Commit& told) override {
    const Candidate& candidate = *told.candidate;
    known_[candidate.id.text()] = told.candidate;
    Json parents = Json::array();
    for (const Ancestor& ancestor : candidate.ancestors) parents.push_back(ancestor.id.text());
    Json json = {{"id", candidate.id.text()},
                 {"operator", candidate.operator_name},
                 {"parents", parents},
                 {"outcome", to_string(candidate.outcome)},
                 {"verdict", to_string(candidate.evaluation.verdict)},
                 {"objective", candidate.evaluation.objective},
                 {"measures", candidate.evaluation.measures},
                 {"addition", to_string(told.addition.status)},
                 {"knobs", candidate.kernel.knobs},
                 {"flags", candidate.kernel.flags}};
    if (candidate.space) json["space"] = space_of(candidate);
    waiting_.push_back(std::move(json));
  }

  std::optional<Error> failure() const override { return failure_; }

 private:
  static LineProgram::Options options(Params& params) {
    LineProgram::Options options;
    options.command = params.texts("program", {}, "program and its arguments");
    if (options.command.empty() && params.node() != nullptr) params.fail("program", "is missing");
    options.deadline = std::chrono::milliseconds(
        params.duration_ms("deadline", "60s", {1, 86'400'000}, "how long one answer may take"));
    return options;
  }

  Json space_of(const Candidate& candidate) {
    const auto [at, is_new] = sources_.emplace(candidate.kernel.source, sources_.size());
    Json json = is_new ? json_of(*candidate.space) : Json::object();
    json["source"] = at->second;
    return json;
  }

  /// The answer as an object; empty after any failure.
  Json send(const Json& message) {
    if (failure_) return Json::object();
    const auto answer = program_.exchange(json_text(message));
    if (!answer) {
      failure_ = answer.error();
      return Json::object();
    }
    Json json = parse_json(*answer);
    if (!json.is_object()) fail("is no JSON object: " + answer->substr(0, 200));
    return json.is_object() ? json : Json::object();
  }

  void fail(const std::string& what) {
    if (!failure_) failure_ = Error{Failure::io, "strategy.program: the answer " + what};
  }

  CandidatePtr find(const Json& id) {
    const auto found = id.is_string() ? known_.find(id.get<std::string>()) : known_.end();
    if (found != known_.end() && is_usable(*found->second)) return found->second;
    fail("names " + json_text(id) + ", which is no working kernel that it was told of");
    return nullptr;
  }

  Proposal named(const Json& answer, const IslandView& view) {
    const auto choice =
        std::find_if(view.operators.begin(), view.operators.end(), [&](const OperatorChoice& c) {
          return c.weight > 0 && answer.value("operator", Json()) == Json(c.name);
        });
    Proposal proposal;
    if (choice == view.operators.end()) {
      fail("names no operator of the island: " + json_text(answer).substr(0, 200));
      return proposal;
    }
    proposal.operator_name = choice->name;
    for (const Json& id : answer.value("parents", Json::array())) {
      proposal.parents.push_back({find(id), ParentRole::parent});
    }
    if (proposal.parents.size() != static_cast<std::size_t>(choice->arity)) {
      fail("has the wrong number of parents: " + json_text(answer).substr(0, 200));
    }
    return proposal;
  }

  Proposal made(const Json& answer) {
    Proposal proposal{"strategy", {}};
    const CandidatePtr of = find(answer.value("of", Json()));
    if (!of) return proposal;
    proposal.parents.push_back({of, ParentRole::inspiration});
    Kernel kernel = of->kernel;
    const Json flags = answer.value("flags", Json(kernel.flags));
    if (!answer["knobs"].is_object() || !flags.is_array()) {
      fail("has no map of knobs");
      return proposal;
    }
    for (const auto& [name, value] : answer["knobs"].items()) {
      kernel.knobs[name] = value.is_string() ? value.get<std::string>() : json_text(value);
    }
    kernel.flags.clear();
    for (const Json& flag : flags)
      kernel.flags.push_back(flag.is_string() ? flag.get<std::string>() : "");
    proposal.kernel = std::move(kernel);
    return proposal;
  }

  LineProgram program_;
  bool started_ = false;
  std::optional<Error> failure_;
  std::vector<Json> waiting_;
  std::map<std::string, CandidatePtr> known_;
  std::map<std::string, std::size_t> sources_;
};

}  // namespace

std::unique_ptr<Strategy> make_command_strategy(Params& params) {
  return std::make_unique<CommandStrategy>(params);
}

}  // namespace ke
