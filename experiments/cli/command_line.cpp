#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ostream>

#include "core/text.hpp"
#include "experiments/cli/verb.hpp"
#include "experiments/run/places.hpp"

namespace ke {
namespace {

constexpr std::array<ExitCode, 13> table = {{
    {exit_code::done, "done: planned budget, target, stagnation or an exhausted space", true},
    {exit_code::negative, "a negative answer"},
    {exit_code::usage, "usage or config", true},
    {exit_code::safety, "a safety limit ended it early; results so far are in place"},
    {exit_code::device,
     "device: no compiler, a sandbox level that the machine lacks, too busy to time kernels, or "
     "opponents or workers that fail one time after the other"},
    {exit_code::provider, "the model provider refused or cannot be reached, with state saved"},
    {exit_code::replay_miss, "replay miss"},
    {exit_code::store, "store: full, locked, corrupt, or of another schema", true},
    {exit_code::waiting, "waits for answers of a language model, with state saved"},
    {exit_code::nothing_judged,
     "nothing was judged: all proposals were lost or gave no kernel, or no answer of the language "
     "model could be used"},
    {exit_code::bug, "a bug of KernelEvolve", true},
    {exit_code::interrupted, "interrupted, with state saved"},
    {exit_code::terminated, "terminated, with state saved"},
}};

}  // namespace

std::span<const ExitCode> exit_codes() { return table; }

std::vector<ExitCode> exit_codes_of(const Verb& verb) {
  std::vector<ExitCode> codes;
  std::ranges::copy_if(table, std::back_inserter(codes), [&](const ExitCode& one) {
    return one.everywhere || std::ranges::count(verb.exit_codes, one.code) > 0;
  });
  return codes;
}

namespace {

void print_overview(const std::vector<Verb>& verbs, std::ostream& out) {
  out << "kernelevolve: search for fast kernels, measured honestly\n\nkernelevolve VERB ...\n\n";
  for (const Verb& verb : verbs) out << fmt::format("  {:<9} {}\n", verb.name, verb.summary);
  out << "\n'kernelevolve VERB --help' explains a verb. Exit codes:\n\n";
  for (const ExitCode& one : exit_codes())
    out << fmt::format("  {:<4} {}\n", one.code, one.meaning);
}

int report(const Error& error, Console& console) {
  for (const std::string_view line : split(error.message, '\n')) {
    if (!line.empty()) console.err << "error: " << line << "\n";
  }
  return exit_code_of(error.failure);
}

int unknown_verb(const std::vector<Verb>& verbs, const std::string& word, Console& console) {
  std::vector<std::string> names;
  for (const Verb& verb : verbs) names.push_back(verb.name);
  return report({Failure::usage, fmt::format("unknown verb '{}'{}; see 'kernelevolve --help'", word,
                                             suggestion(word, names))},
                console);
}

int run_verb(const Verb& verb, const std::vector<std::string>& words, Console& console) {
  const auto arguments = parse_arguments(verb, words);
  if (!arguments) return report(arguments.error(), console);
  if (arguments->has("help")) {
    console.out << help_text(verb);
    return exit_code::done;
  }
  const auto code = verb.run(*arguments, console);
  console.out.flush();
  return code ? *code : report(code.error(), console);
}

}  // namespace

std::vector<Verb> all_verbs() {
  return {
#define KE_VERB(name) verbs::name(),
#include "experiments/cli/verbs/verbs.def"
#undef KE_VERB
  };
}

Result<int> call_verb(const std::vector<std::string>& words, Console& console) {
  const std::vector<Verb> verbs = all_verbs();
  const auto verb = std::ranges::find(verbs, words.front(), &Verb::name);
  KE_CHECK(verb != verbs.end());
  KE_TRY(const Arguments arguments, parse_arguments(*verb, {words.begin() + 1, words.end()}));
  return verb->run(arguments, console);
}

int run_command_line(const std::vector<std::string>& words, Console& console) {
  const std::vector<Verb> verbs = all_verbs();
  if (words.empty()) {
    print_overview(verbs, console.err);
    return exit_code::usage;
  }
  if (words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
    print_overview(verbs, console.out);
    return exit_code::done;
  }
  if (words[0] == "--version") {
    console.out << "kernelevolve " << version() << "\n";
    return exit_code::done;
  }
  const auto verb =
      std::find_if(verbs.begin(), verbs.end(), [&](const Verb& v) { return v.name == words[0]; });
  if (verb == verbs.end()) return unknown_verb(verbs, words[0], console);
  return run_verb(*verb, {words.begin() + 1, words.end()}, console);
}

}  // namespace ke
