#pragma once
// A verb of the command line: its name, its arguments, its function.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "experiments/run/console.hpp"

namespace ke {

/// Inclusive range of an integer option.
struct Bounds {
  std::int64_t low = 0;
  std::int64_t high = 0;
};

/// One option of a verb. Its name, default, range and doc are declared only here; the parser, help
/// and docs read them.
struct VerbOption {
  std::string name;      ///< without dashes
  char letter = 0;       ///< one-letter form, 0 = none
  std::string value;     ///< placeholder of the value; "" = a switch
  std::string fallback;  ///< default value
  std::string doc;
  std::optional<Bounds> bounds = {};      ///< range of an integer
  std::vector<std::string> choices = {};  ///< allowed words; without bounds and choices, any text

  /// switch, integer, word or text.
  std::string type() const;
  /// Allowed values for people: "[0, 100]", "csv | t4"; "" = anything.
  std::string range() const;
};

/// The switch of `run` and `resume` that sets RunRequest::until_waiting.
VerbOption until_waiting_option();

/// Parsed arguments of one verb.
class Arguments {
 public:
  struct Given {
    std::string name;
    std::string value;
  };
  Arguments(std::vector<VerbOption> options, std::vector<Given> given,
            std::vector<std::string> positionals);

  /// True if the switch or option was given.
  bool has(std::string_view name) const;
  /// Value of a declared option, or its default.
  std::string text(std::string_view name) const;
  /// Value of an option with bounds, as an integer within them.
  Result<std::int64_t> integer(std::string_view name) const;
  const std::vector<std::string>& positionals() const { return positionals_; }
  /// The words of the command line again, with options in long form, for the Python package.
  std::vector<std::string> words() const;

 private:
  const VerbOption& declared(std::string_view name) const;

  std::vector<VerbOption> options_;
  std::vector<Given> given_;
  std::vector<std::string> positionals_;
};

/// Splits words: `key=value` words that name no file are overrides of a config, the others are
/// paths.
void split_overrides(const std::vector<std::string>& words, std::vector<std::string>& paths,
                     std::vector<std::string>& overrides);

struct Verb {
  std::string name;
  std::string positionals;  ///< e.g. "CONFIG [a.b=1 ...]"
  std::size_t least = 0;    ///< fewest positionals
  std::size_t most = 0;     ///< most positionals
  std::string summary;
  std::string details;
  std::vector<VerbOption> options;   ///< without --help and --json, which every verb has
  std::vector<int> exit_codes = {};  ///< exit codes beyond those of every verb
  /// Shell commands for the root of the tree, run after the examples of earlier verbs.
  std::string example = {};
  /// Runs the verb. Returns the exit code, or an error.
  Result<int> (*run)(const Arguments& arguments, Console& console) = nullptr;
};

/// All verbs, in the order of verbs.def.
std::vector<Verb> all_verbs();

/// Meaning of an exit code.
struct ExitCode {
  int code = 0;
  std::string_view meaning;
  bool everywhere = false;  ///< any verb may end with it
};

/// All exit codes, in rising order.
std::span<const ExitCode> exit_codes();

/// Exit codes that a verb may end with.
std::vector<ExitCode> exit_codes_of(const Verb& verb);

/// Runs a verb with the words of its command line, name first, as another verb's step.
Result<int> call_verb(const std::vector<std::string>& words, Console& console);

/// Runs one command line, given without the program's name; writes errors to `console.err`.
int run_command_line(const std::vector<std::string>& words, Console& console);

/// The verb's own options and those that every verb has.
std::vector<VerbOption> options_of(const Verb& verb);

/// Parses the words with Boost.Program_options. Errors (Failure::usage) name the option and suggest
/// the nearest one.
Result<Arguments> parse_arguments(const Verb& verb, const std::vector<std::string>& words);

/// Generates the help of one verb from its declaration.
std::string help_text(const Verb& verb);

}  // namespace ke

/// One function for each line of verbs.def.
namespace ke::verbs {
#define KE_VERB(name) Verb name();
#include "experiments/cli/verbs/verbs.def"
#undef KE_VERB
}  // namespace ke::verbs
