#pragma once
// A verb of the command line: what it is called, what it takes, what it does.

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace ke {

/// The whole numbers that an option takes.
struct Bounds {
  std::int64_t low = 0;
  std::int64_t high = 0;
};

/// One option of a verb. Name, default, range and doc stand here alone; parser, help and the docs
/// read them.
struct VerbOption {
  std::string name;      ///< without dashes
  char letter = 0;       ///< one-letter form, 0 = none
  std::string value;     ///< placeholder of its value; "" = a switch
  std::string fallback;  ///< value when it is not given
  std::string doc;
  std::optional<Bounds> bounds = {};      ///< of a whole number
  std::vector<std::string> choices = {};  ///< of a word; without either it is any text

  /// switch, integer, word or text.
  std::string type() const;
  /// What it can be, for people: "[0, 100]", "csv | t4"; "" = anything.
  std::string range() const;
};

/// What the command line gave a verb.
class Arguments {
 public:
  struct Given {
    std::string name;
    std::string value;
  };
  Arguments(std::vector<VerbOption> options, std::vector<Given> given,
            std::vector<std::string> positionals);

  /// Whether a switch or an option was given.
  bool has(std::string_view name) const;
  /// Value of a declared option, or its default.
  std::string text(std::string_view name) const;
  /// The same of an option with bounds, as an integer within them.
  Result<std::int64_t> integer(std::string_view name) const;
  const std::vector<std::string>& positionals() const { return positionals_; }

 private:
  const VerbOption& declared(std::string_view name) const;

  std::vector<VerbOption> options_;
  std::vector<Given> given_;
  std::vector<std::string> positionals_;
};

/// Words `key=value` that name no file are overrides of a config; the others are paths.
void split_overrides(const std::vector<std::string>& words, std::vector<std::string>& paths,
                     std::vector<std::string>& overrides);

/// Where a verb writes, and what it knows of the world. Filled by main alone.
struct Console {
  std::ostream& out;
  std::ostream& err;
  bool terminal = false;     ///< `err` is a terminal that can redraw a line
  std::string cache_folder;  ///< for builds shared between runs; "" = none
  /// Value of an environment variable that the user names, e.g. for an API key.
  std::function<std::optional<std::string>(const std::string&)> variable = {};
};

struct Verb {
  std::string name;
  std::string positionals;  ///< e.g. "CONFIG [a.b=1 ...]"
  std::size_t least = 0;    ///< positionals it needs
  std::size_t most = 0;     ///< and can take
  std::string summary;
  std::string details;
  std::vector<VerbOption> options;   ///< --help and --json are every verb's
  std::vector<int> exit_codes = {};  ///< those that not every verb has
  /// Commands that run in the root of the tree, after the examples of the verbs before it.
  std::string example = {};
  /// The exit code, or why it could not be done.
  Result<int> (*run)(const Arguments& arguments, Console& console) = nullptr;
};

/// All verbs, in the order of verbs.def.
std::vector<Verb> all_verbs();

namespace exit_code {
inline constexpr int done = 0;
inline constexpr int negative = 1;
inline constexpr int usage = 2;
inline constexpr int safety = 3;
inline constexpr int device = 4;
inline constexpr int provider = 5;
inline constexpr int replay_miss = 6;
inline constexpr int store = 7;
inline constexpr int waiting = 8;
inline constexpr int bug = 70;  ///< a failed KE_CHECK
inline constexpr int interrupted = 130;
inline constexpr int terminated = 143;
}  // namespace exit_code

/// What an exit code means.
struct ExitCode {
  int code = 0;
  std::string_view meaning;
  bool everywhere = false;  ///< any verb may end with it
};

/// All exit codes, rising.
std::span<const ExitCode> exit_codes();

/// Those that a verb may end with.
std::vector<ExitCode> exit_codes_of(const Verb& verb);

/// The exit code of a world failure.
int exit_code_of(Failure failure);

/// Runs one command line (without the program's name); writes errors to `console.err`.
int run_command_line(const std::vector<std::string>& words, Console& console);

}  // namespace ke
