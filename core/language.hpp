#pragma once
// The languages of kernels: what each is called, how a whole kernel of it is recognised, and what a
// model that writes it is told. Everything that differs between languages and is not code stands in
// core/languages/<name>.md, and nowhere else.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace ke {

/// `@launch` lines of a kernel file: enough for a whole convolutional network.
inline constexpr std::size_t most_launches = 128;

/// The rule by which a source counts as a whole kernel.
enum class EntryRule {
  c_function,  ///< a function `kernel`
  launched,    ///< a function under `keyword` for every @launch line, at least one
  decorated,   ///< the same in Python: `def NAME` in a file that uses `keyword`
};

/// One language. A description is a head of `key: value` lines, `---`, the rules for a model,
/// `---`, and an example kernel. In the rules, `{{name}}` stands for the file shared_<name>.txt.
struct Language {
  std::string name;     ///< "cuda": the file's
  std::string title;    ///< "CUDA C++"
  std::string kernels;  ///< value of Kernel::language; the name unless the head says so
  std::vector<std::string> endings;  ///< of kernel files: ".cu"
  std::vector<std::string> fences;   ///< labels of code fences that may hold it
  std::string comment;               ///< begins a comment that ends with its line: "//" or "#"
  EntryRule entry = EntryRule::c_function;
  std::string keyword;               ///< "__global__"; "" for c_function
  std::vector<std::string> modules;  ///< Python packages whose import tells it from others of ".py"
  std::string device;                ///< that judges it unless another is named: "cuda"; "" = none
  std::vector<std::string> kinds;    ///< of devices that can judge it
  std::string port_of;   ///< tasks of that language may hold kernels of this one; "" = none
  std::string compiler;  ///< "python": a program in Python compiles it; "" = the device's own
  std::string file;      ///< name of the example's file: "kernel.cu"
  std::string rules;     ///< for prompts
  std::string example;   ///< a whole kernel
};

/// All shipped languages, sorted by name.
std::span<const Language> languages();
/// By name, or null.
const Language* find_language(std::string_view name);
/// A shipped language whose kernels bear this value of Kernel::language; C++ for an unknown one.
const Language& language_of_kernels(std::string_view kernels);
/// The language of a kernel file by its ending and, where several share it, by what it imports
/// first; null for an unknown ending.
const Language* language_of_file(std::string_view path, std::string_view source);
/// Languages that tasks in another language may hold kernels of.
std::vector<const Language*> ports_of(std::string_view language);

/// Reads a description. Errors name the place and what was expected.
Result<Language> parse_language(std::string_view name, std::string_view description);

/// Says in a sentence why a source is no whole kernel; "" when it is one. Where not even
/// `parent`, a kernel known to be whole, defines its entry plainly (a macro does), a name is
/// enough.
std::string missing_entry(const Language& language, std::string_view source,
                          std::string_view parent = "");

/// Whether a code fence with this label may hold the language: its own labels, none, and those that
/// no other language has.
bool fits_fence(const Language& language, std::string_view label);

}  // namespace ke
