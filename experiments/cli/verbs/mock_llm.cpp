#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ostream>
#include <thread>

#include "core/text.hpp"
#include "experiments/cli/verbs.hpp"
#include "experiments/run/mock/mock_llm.hpp"
#include "experiments/run/stop_tokens.hpp"
#include "operators/llm/client/dialect.hpp"

namespace ke::verbs {
namespace {

/// Parses a comma-separated list of fault names.
Result<std::vector<MockFault>> faults_of(const std::string& text) {
  const std::vector<std::string> known = mock_fault_names();
  std::vector<MockFault> faults;
  for (const std::string_view name : split(text, ',')) {
    const auto at = std::find(known.begin(), known.end(), trim(name));
    if (at == known.end()) {
      return Error{Failure::usage,
                   fmt::format("no fault '{}': choose of {}", name, fmt::join(known, ", "))};
    }
    faults.push_back(static_cast<MockFault>(at - known.begin()));
  }
  return faults;
}

Result<MockScript> script_of(const Arguments& arguments) {
  KE_TRY(const std::int64_t percent, arguments.integer("faults"));
  KE_TRY(const std::int64_t seed, arguments.integer("seed"));
  KE_TRY(std::vector<MockFault> faults, faults_of(arguments.text("kinds")));
  KE_TRY(MockScript replies, mock_folder(arguments.positionals().front()));
  return mock_faults(static_cast<double>(percent) / 100, static_cast<std::uint64_t>(seed),
                     std::move(faults), std::move(replies));
}

Result<int> run_mock_llm(const Arguments& arguments, Console& console) {
  MockOptions options;
  KE_TRY(options.script, script_of(arguments));
  KE_TRY(const std::int64_t port, arguments.integer("port"));
  options.port = static_cast<int>(port);
  options.token = arguments.text("token");
  options.threads = 64;
  const StopSignals stop;
  KE_TRY(const auto mock, MockLlm::start(std::move(options)));
  for (const std::string& dialect : component_names(dialects())) {
    console.out << fmt::format("{:<20}{}\n", dialect, mock->base_url(dialect));
  }
  console.out << std::flush;
  while (!stop.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const MockCounts counts = mock->counts();
  console.out << fmt::format("{} requests, {} whole replies\n", counts.requests, counts.answered);
  return exit_code::done;
}

}  // namespace

Verb mock_llm() {
  Verb verb;
  verb.name = "mock-llm";
  verb.positionals = "FOLDER";
  verb.least = verb.most = 1;
  verb.summary = "serve recorded replies as a language model, on this machine alone";
  verb.details =
      "Replies are the files of FOLDER, in the order of their names; those of a subfolder go to\n"
      "requests whose prompt names it. Runs until Ctrl-C.";
  verb.options = {{"port", 0, "N", "0", "port to serve; 0 = any free one", Bounds{0, 65'535}},
                  {"token", 0, "TEXT", "mock-key", "API key that requests must hold"},
                  {"faults", 0, "PERCENT", "0", "share of requests that fail", Bounds{0, 100}},
                  {"kinds", 0, "NAMES", "rate_limit,server_error,overloaded,cut,truncated_json",
                   "how they fail"},
                  {"seed", 0, "N", "0", "of the draw of faults", Bounds{0, 1'000'000'000}}};
  verb.example = "kernelevolve mock-llm configs/replies/softmax";
  verb.run = run_mock_llm;
  return verb;
}

}  // namespace ke::verbs
