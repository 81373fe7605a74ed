#include <fmt/format.h>

#include <fstream>

#include "archive/recorded_facts.hpp"
#include "experiments/cli/verb.hpp"
#include "experiments/run/run_files.hpp"
#include "experiments/study/sweep/sweep_index.hpp"
#include "experiments/text/json.hpp"
#include "experiments/text/table.hpp"
#include "operators/llm/cassette.hpp"

namespace ke::verbs {
namespace {

/// All exchanges of a run, by key.
Result<std::map<Digest, Exchange>> exchanges_of_run(const std::string& argument) {
  KE_TRY(auto opened, open_run(argument));
  KE_TRY(auto recorded, recorded_exchanges(std::move(opened)));
  std::map<Digest, Exchange> exchanges;
  for (Exchange& exchange : recorded) {
    const Digest key = exchange.key;
    exchanges.emplace(key, std::move(exchange));
  }
  return exchanges;
}

Result<int> write_out(const Arguments& arguments, Console& console) {
  KE_TRY(const auto exchanges, exchanges_of_run(arguments.positionals()[1]));
  const std::string name = arguments.text("out");
  std::ofstream file(name, std::ios::binary | std::ios::trunc);
  for (const auto& [key, exchange] : exchanges) file << cassette_line(exchange) << "\n";
  file.close();
  if (!file) return Error{Failure::io, name + ": cannot be written"};
  console.err << fmt::format("{}: {} exchanges\n", name, exchanges.size());
  return exit_code::done;
}

bool is_run(const std::string& word) { return word.ends_with(".kev"); }

Result<int> verify_one(const Arguments& arguments, Console& console) {
  const std::string& word = arguments.positionals()[1];
  std::vector<std::string> problems;
  std::size_t count = 0;
  auto exchanges = is_run(word) ? exchanges_of_run(word) : read_cassette(word);
  if (!exchanges && exchanges.error().failure != Failure::config) return exchanges.error();
  if (!exchanges) problems.push_back(exchanges.error().message);
  if (exchanges) {
    count = exchanges->size();
    for (const auto& [key, exchange] : *exchanges) {
      for (const std::string& kind : secrets_in(cassette_line(exchange))) {
        problems.push_back(
            fmt::format("{}: holds what looks like a secret: {}", key.short_hex(), kind));
      }
    }
  }
  std::string text =
      fmt::format("{}: {}, {} exchanges\n", word, problems.empty() ? "ok" : "NOT ok", count);
  for (const std::string& problem : problems) text += "  problem: " + problem + "\n";
  write_either(console.out, arguments.has("json"),
               {{"ok", problems.empty()}, {"exchanges", count}, {"problems", problems}}, text);
  return problems.empty() ? exit_code::done : exit_code::negative;
}

struct ReplayCounts {
  std::int64_t requests = 0;
  std::int64_t live = 0;
};

Result<void> count_use(const std::string& run, ReplayCounts& use) {
  KE_TRY(const auto exchanges, exchanges_of_run(run));
  for (const auto& [key, exchange] : exchanges) {
    ++use.requests;
    use.live += exchange.request.settings.contains("bank") ? 0 : 1;
  }
  return {};
}

/// Prints how often the arms of a sweep found no answer in their bank.
Result<int> print_misses(const Arguments& arguments, Console& console) {
  const auto& words = arguments.positionals();
  KE_TRY(const auto runs, runs_by_arm({words.begin() + 1, words.end()}));
  std::map<std::string, ReplayCounts> uses;
  for (const auto& [arm, files] : runs) {
    for (const std::string& file : files) KE_TRY_VOID(count_use(file, uses[arm]));
  }
  Table table({"arm", "requests", "live", "miss rate"});
  Json arms = Json::array();
  for (const auto& [arm, files] : runs) {
    const ReplayCounts& use = uses[arm];
    const double rate =
        use.requests == 0 ? 0 : static_cast<double>(use.live) / static_cast<double>(use.requests);
    table.add(
        {arm, std::to_string(use.requests), std::to_string(use.live), fmt::format("{:.3f}", rate)});
    arms.push_back(
        {{"arm", arm}, {"requests", use.requests}, {"live", use.live}, {"miss_rate", rate}});
  }
  write_either(console.out, arguments.has("json"), {{"arms", std::move(arms)}}, table.text());
  return exit_code::done;
}

Result<int> run_cassette(const Arguments& arguments, Console& console) {
  const std::string& action = arguments.positionals()[0];
  const bool one = arguments.positionals().size() == 2;
  if (action == "export" && one) return write_out(arguments, console);
  if (action == "verify" && one) return verify_one(arguments, console);
  if (action == "misses") return print_misses(arguments, console);
  return Error{Failure::usage, "it is 'export RUN', 'verify FILE' or 'misses RUN ...'"};
}

}  // namespace

Verb cassette() {
  return {
      .name = "cassette",
      .positionals = "export RUN | verify FILE | misses RUN ...",
      .least = 2,
      .most = 1000,
      .summary = "recorded traffic with language models: write it out, or check it",
      .details =
          "'export' writes all exchanges of a run, one a line; 'llm: {kind: cassette, file: ..}'\n"
          "answers from such a file. 'verify' hashes the exchanges of a file or a run again and\n"
          "looks for what seems to be a key or a token; exit code 1 when it finds something.\n"
          "'misses' prints for each arm how many requests its proposal bank could not answer.",
      .options = {{"out", 'o', "FILE", "cassette.jsonl", "where 'export' writes"}},
      .exit_codes = {exit_code::negative},
      .example =
          "gunzip -c configs/recordings/softmax-llm.jsonl.gz >softmax.jsonl\n"
          "kernelevolve cassette verify softmax.jsonl",
      .run = &run_cassette};
}

}  // namespace ke::verbs
