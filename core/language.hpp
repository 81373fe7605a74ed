#pragma once
// Kernel languages: their names, how a complete kernel is recognised, and the instructions for a
// model that writes one. All differences between languages that are not code are in
// core/languages/<name>.md only.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace ke {

/// Whether the code contains `name` as a whole word. Always true for "".
bool mentions(std::string_view code, std::string_view name);

/// Whether the code contains `name`, parameters in parentheses and then `{`, or `:` after `def
/// name`. Checks only these tokens and does not skip comments and strings. Linear.
bool defines(std::string_view code, std::string_view name);

/// Whether a macro may define `name`: a line that is not a comment has it as an argument, or `##`
/// joins a prefix or a suffix of it to something. A permissive test; the compiler decides.
bool macro_may_define(std::string_view code, std::string_view name);

/// Limit on `@launch` lines per kernel file; enough for a whole convolutional network.
inline constexpr std::size_t most_launches = 128;

/// The rule that decides whether a source is a complete kernel.
enum class EntryRule {
  c_function,  ///< a function named `kernel`
  launched,    ///< a function marked `keyword` for every @launch line, at least one
  decorated,   ///< the same in Python: `def NAME` in a file that uses `keyword`
};

/// One language. Its description has three parts separated by `---`: a head of `key: value` lines,
/// the rules for a model, and an example kernel. In the rules, `{{name}}` stands for the file
/// shared_<name>.txt.
struct Language {
  std::string name;                  ///< the description's file name: "cuda"
  std::string title;                 ///< "CUDA C++"
  std::string kernels;               ///< value of Kernel::language; `name` unless the head sets it
  std::vector<std::string> endings;  ///< file name endings of kernels: ".cu"
  std::vector<std::string> fences;   ///< labels of code fences for this language
  std::string comment;               ///< starts a comment to the end of the line: "//" or "#"
  EntryRule entry = EntryRule::c_function;
  std::string keyword;               ///< "__global__"; "" for c_function
  std::vector<std::string> modules;  ///< Python packages whose import identifies it
  std::string device;                ///< default device for judging: "cuda"; "" = none
  std::vector<std::string> kinds;    ///< kinds of devices that can judge it
  std::string port_of;   ///< the language whose tasks may hold kernels of this one; "" = none
  std::string compiler;  ///< "python": compiled by a Python program; "" = the device's own compiler
  std::string file;      ///< name of the example's file: "kernel.cu"
  std::string rules;     ///< for prompts
  std::string example;   ///< a complete kernel
};

/// All shipped languages, sorted by name.
std::span<const Language> languages();
/// Finds a language by name; null if unknown.
const Language* find_language(std::string_view name);
/// The shipped language with this value of Kernel::language; C++ for an unknown value.
const Language& language_of_kernels(std::string_view kernels);
/// Finds the language of a kernel file by its ending and, where languages share one, by its first
/// import; null for an unknown ending.
const Language* language_of_file(std::string_view path, std::string_view source);

/// Parses a description. Errors name the place and what was expected.
Result<Language> parse_language(std::string_view name, std::string_view description);

/// Says in one sentence why a source is not a complete kernel; "" if it is. If even `parent`, a
/// kernel known to be complete, has no plain definition of its entry (a macro makes it), the name
/// alone is enough.
std::string missing_entry(const Language& language, std::string_view source,
                          std::string_view parent = "");

/// Whether a code fence with this label may hold the language: one of its own labels, no label, or
/// a label that belongs to no other language.
bool fits_fence(const Language& language, std::string_view label);

}  // namespace ke
