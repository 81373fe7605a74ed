#include "core/line_program.hpp"
#include "operators/command/messages.hpp"
#include "operators/registry.hpp"

namespace ke {
namespace {

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
