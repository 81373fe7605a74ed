#include <fmt/format.h>

#include "core/text.hpp"
#include "experiments/cli/verb.hpp"
#include "experiments/run/child_program.hpp"
#include "experiments/run/places.hpp"
#include "experiments/text/json.hpp"

namespace ke::verbs {
namespace {

/// Runs the Python program that packs artifacts; it gets run data from other verbs.
Result<Json> pack(const std::vector<std::string>& folders, const Arguments& arguments) {
  const std::string program = artifact_folder() + "/pack.py";
  // -B: write no bytecode next to the program
  std::vector<std::string> command = {"python3", "-B", program};
  command.insert(command.end(), {"--kernelevolve", tools_folder() + "/kernelevolve"});
  command.insert(command.end(), {"--out", arguments.text("out")});
  if (arguments.has("source"))
    command.insert(command.end(), {"--source", arguments.text("source")});
  if (arguments.has("authors"))
    command.insert(command.end(), {"--authors=" + arguments.text("authors")});
  command.emplace_back("--");
  command.insert(command.end(), folders.begin(), folders.end());
  const ProgramAnswer answer = run_program(command);
  if (answer.code == exit_code::done) return Json::parse(answer.output);
  if (answer.code == no_such_program) {
    return Error{Failure::usage, "ae: python3 is missing: install the package python3"};
  }
  const std::string why(trim(answer.output));
  if (why.empty()) {
    return Error{Failure::io, fmt::format("ae: {} ended with {}", program, answer.code)};
  }
  return Error{answer.code == exit_code::usage ? Failure::usage : Failure::store, why};
}

Result<int> run_ae(const Arguments& arguments, Console& console) {
  const auto& words = arguments.positionals();
  if (words[0] != "pack")
    return Error{Failure::usage, fmt::format("ae: '{}' is not 'pack'", words[0])};
  KE_TRY(const Json packed, pack({words.begin() + 1, words.end()}, arguments));
  write_either(console.out, arguments.has("json"), packed,
               fmt::format("{}: {} files, {} runs, {:.2f} MB\n", packed["file"].get<std::string>(),
                           packed["files"].get<int>(), packed["runs"].get<int>(),
                           packed["bytes"].get<double>() / 1e6));
  return exit_code::done;
}

}  // namespace

Verb ae() {
  return {
      .name = "ae",
      .positionals = "pack FOLDER ...",
      .least = 2,
      .most = 1000,
      .summary = "pack runs, or a study, as an artifact that others can check",
      .details =
          "FOLDER holds the runs of a sweep or an experiment, or is a study with claims.yaml (one\n"
          "at most). The archive holds the runs with their tasks and configurations, their tables\n"
          "and figures, claims, an appendix with ACM's check-list, CITATION.cff, and the SHA-256 "
          "of\n"
          "every file. Its reproduce.sh has three tiers: smoke checks hashes, replay runs every\n"
          "search again from its recorded facts and makes all figures anew without GPU or key,\n"
          "full runs everything again. Each claim is PASS or FAIL. Runs that are not done are\n"
          "refused.",
      .options = {{"out", 'o', "FILE", "artifact.tar", "the archive; is not overwritten"},
                  {"authors", 0, "NAMES", "", "of CITATION.cff, separated by semicolons"},
                  {"source", 0, "FOLDER", "",
                   "add the sources of this tree, as git tracks them, to build from"}},
      .example = "kernelevolve ae pack runs/crossover -o crossover.tar",
      .run = &run_ae};
}

}  // namespace ke::verbs
