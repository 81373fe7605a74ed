// Serves recorded replies as a language model on this machine, until it is interrupted.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iostream>
#include <thread>

#include "core/text.hpp"
#include "experiments/cli/verb.hpp"
#include "experiments/run/stop_tokens.hpp"
#include "operators/llm/client/dialect.hpp"
#include "tests/support/mock_llm/mock_llm.hpp"

namespace ke {
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

/// Replies are the files of FOLDER, in the order of their names; those of a subfolder go to
/// requests whose prompt names it.
Verb described() {
  Verb verb;
  verb.name = "mock-llm";
  verb.positionals = "FOLDER";
  verb.least = verb.most = 1;
  verb.options = {{"token", 0, "TEXT", "mock-key", "API key that requests must hold"},
                  {"faults", 0, "PERCENT", "0", "share of requests that fail", Bounds{0, 100}},
                  {"kinds", 0, "NAMES", "rate_limit,server_error,overloaded,cut,truncated_json",
                   "how they fail"},
                  {"seed", 0, "N", "0", "of the draw of faults", Bounds{0, 1'000'000'000}}};
  return verb;
}

Result<void> serve(const std::vector<std::string>& words) {
  KE_TRY(const Arguments arguments, parse_arguments(described(), words));
  KE_TRY(const std::int64_t percent, arguments.integer("faults"));
  KE_TRY(const std::int64_t seed, arguments.integer("seed"));
  KE_TRY(std::vector<MockFault> faults, faults_of(arguments.text("kinds")));
  KE_TRY(MockScript replies, mock_folder(arguments.positionals().front()));
  MockOptions options;
  options.script = mock_faults(static_cast<double>(percent) / 100, static_cast<std::uint64_t>(seed),
                               std::move(faults), std::move(replies));
  options.token = arguments.text("token");
  options.threads = 64;
  const StopSignals stop;
  KE_TRY(const auto mock, MockLlm::start(std::move(options)));
  for (const std::string& dialect : component_names(dialects())) {
    std::cout << fmt::format("{:<20}{}\n", dialect, mock->base_url(dialect));
  }
  std::cout << std::flush;
  while (!stop.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  return {};
}

}  // namespace
}  // namespace ke

int main(int argc, char** argv) {
  const auto served = ke::serve(std::vector<std::string>(argv + 1, argv + argc));
  if (!served) std::cerr << served.error().message << "\n";
  return served ? 0 : 2;
}
