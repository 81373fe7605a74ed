#include <fmt/format.h>

#include <fstream>

#include "archive/recorded_facts.hpp"
#include "experiments/cli/json.hpp"
#include "experiments/cli/verbs.hpp"
#include "experiments/run/run_files.hpp"
#include "operators/llm/cassette.hpp"

namespace ke::verbs {
namespace {

/// All exchanges of a run, by key.
Result<std::map<Digest, Exchange>> exchanges_of_run(const std::string& argument) {
  KE_TRY(auto opened, open_run(argument));
  const std::shared_ptr<const RunReader> reader = std::move(opened);
  KE_TRY(const auto keys, reader->exchange_keys());
  KE_TRY(auto recorded, recorded_exchanges(reader, keys));
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
  if (arguments.has("json")) {
    write_json(console.out,
               {{"ok", problems.empty()}, {"exchanges", count}, {"problems", problems}});
  } else {
    console.out << fmt::format("{}: {}, {} exchanges\n", word, problems.empty() ? "ok" : "NOT ok",
                               count);
    for (const std::string& problem : problems) console.out << "  problem: " << problem << "\n";
  }
  return problems.empty() ? exit_code::done : exit_code::negative;
}

Result<int> run_cassette(const Arguments& arguments, Console& console) {
  const std::string& action = arguments.positionals()[0];
  if (action == "export") return write_out(arguments, console);
  if (action == "verify") return verify_one(arguments, console);
  return Error{Failure::usage, fmt::format("'{}' is neither export nor verify", action)};
}

}  // namespace

Verb cassette() {
  return {
      .name = "cassette",
      .positionals = "export RUN | verify FILE",
      .least = 2,
      .most = 2,
      .summary = "recorded traffic with language models: write it out, or check it",
      .details =
          "'export' writes all exchanges of a run, one a line; 'llm: {kind: cassette, file: ..}'\n"
          "answers from such a file. 'verify' hashes the exchanges of a file or a run again and\n"
          "looks for what seems to be a key or a token; exit code 1 when it finds something.",
      .options = {{"out", 'o', "FILE", "cassette.jsonl", "where 'export' writes"}},
      .exit_codes = {exit_code::negative},
      .example =
          "gunzip -c configs/recordings/softmax-llm.jsonl.gz >softmax.jsonl\n"
          "kernelevolve cassette verify softmax.jsonl",
      .run = &run_cassette};
}

}  // namespace ke::verbs
