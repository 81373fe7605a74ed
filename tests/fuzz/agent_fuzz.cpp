// Fuzzes replies to an agent. Checks that nothing crashes; calls read back from their own text; a
// conversation ends within its limits; every dialect can send it.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/text.hpp"
#include "operators/llm/client/dialect.hpp"
#include "operators/llm/lines.hpp"
#include "operators/llm/tools/tool_table.hpp"
#include "operators/registry.hpp"
#include "tests/support/options.hpp"

namespace ke {
namespace {

constexpr std::int64_t turns = 6;
constexpr std::int64_t timed = 2;

void require(bool condition) {
  if (!condition) std::abort();
}

void check_call(const ToolCall& call) {
  if (!call.fault.empty()) {
    require(!wire_arguments(call).empty());
    return;
  }
  const ToolReply again = read_tool_reply(tool_call_text(call));
  require(again.calls.size() == 1);
  const ToolCall& read = again.calls.front();
  require(read.fault.empty() && read.tool == call.tool && read.id == call.id);
  require(read.arguments == call.arguments && read.source.has_value() == call.source.has_value());
  require(read_tool_reply(tool_call_text(read)).calls.front().source == read.source);
}

void check_reply(std::string_view reply) {
  const ToolReply read = read_tool_reply(reply);
  require(read.calls.size() <= most_calls);
  for (const ToolCall& call : read.calls) check_call(call);
  check_call(native_call("id", "check", reply, ""));
}

/// Facts that depend only on the kernel.
TrialFacts facts_of(const Trial& trial) {
  TrialFacts facts;
  facts.build.build_hash = trial.kernel.genome_hash;
  const unsigned char chance = trial.kernel.genome_hash.bytes[0];
  facts.build.verdict = chance % 4 == 0 ? Verdict::compile_error : Verdict::ok;
  if (facts.build.verdict != Verdict::ok || trial.kind == TrialKind::build) return facts;
  facts.judged.emplace();
  facts.judged->verdict = static_cast<Verdict>(chance % (1 + static_cast<int>(Verdict::lost)));
  facts.judged->comparison = Comparison{};
  return facts;
}

void send_everywhere(const LlmRequest& request) {
  for (const auto& entry : dialects()) {
    for (const bool native : {true, false}) {
      ModelTraits traits;
      traits.native_tools = native;
      require(!entry.make()->body({request, "m", 9, true, traits}).empty());
    }
  }
}

/// Uses pieces of the data as replies.
void converse(const Operator& agent, std::string_view data) {
  Seed seed;
  seed.kernel.name = "k.cpp";
  seed.kernel.source = "extern \"C\" void kernel(float* x) { *x = 1; }\n";
  Context context{{&seed, 1}, "A task.", {}};
  context.timed_trials = timed;
  RandomStream random({1, 0, 0, 0, Purpose::vary});
  Outcome outcome = agent.start({}, context, random);
  const auto replies = split(data, '\x01');
  std::int64_t asked = 0;
  std::int64_t trials = 0;
  while (!std::holds_alternative<HashedKernel>(outcome) &&
         !std::holds_alternative<NoChild>(outcome)) {
    if (std::holds_alternative<Trial>(outcome)) {
      const Trial trial = std::get<Trial>(std::move(outcome));
      require(++trials <= turns * static_cast<std::int64_t>(most_calls));
      outcome = agent.resume(trial.state, facts_of(trial), {}, context, random);
      continue;
    }
    const Request request = std::get<Request>(std::move(outcome));
    require(asked < turns);
    if (asked == turns - 1) send_everywhere(request.request);  // includes all earlier messages
    Exchange exchange;
    exchange.request = request.request;
    exchange.status = "ok";
    exchange.reply = replies[static_cast<std::size_t>(asked++) % replies.size()];
    outcome = agent.resume(request.state, exchange, {}, context, random);
  }
}

std::unique_ptr<Operator> make_agent() {
  const Node options = test::options({{"parents", test::scalar("0")},
                                      {"turns", test::scalar(std::to_string(turns))},
                                      {"evaluations", test::scalar(std::to_string(timed))}});
  ParamLog log;
  Params params(&options, "", log);
  return find_component(operators(), "llm_agent")->make(params);
}

}  // namespace
}  // namespace ke

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto agent = ke::make_agent();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  ke::check_reply(text);
  ke::converse(*agent, text);
  return 0;
}
