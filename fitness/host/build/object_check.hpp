#pragma once
// Checks the contents of a compiled candidate's object file.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/hash.hpp"
#include "core/result.hpp"
#include "fitness/build_outcome.hpp"

namespace ke {

/// The rules, in this order:
///  - missing_kernel: no global function `kernel` is defined;
///  - ifunc: an indirect function (its resolver would run while loading);
///  - extra_export: another global named like an allowed library function or with a leading
///    underscore, or one that replaces an operator new or delete or a function of the standard
///    library (interposition). Other helpers and variables may be global: the link keeps them
///    private;
///  - forbidden_symbol: an undefined symbol outside the allow-list: libm, libmvec, libgomp, libgcc,
///    string and memory functions, allocation, the C++ runtime without streams, files and locales,
///    threads. __cxa_atexit is allowed (function statics need it), since code that runs at exit
///    gains nothing;
///  - static_constructor: code that would run while loading (.init_array, .ctors, _init ...),
///  unless
///    it only stores constants in the kernel's variables and registers destructors;
///  - forbidden_section: writable code, or a section that compilers do not make.
/// Returns nothing for a good object, and the reason `damaged_object` for a damaged file.
struct ObjectRules {
  bool instrumented = false;  ///< admits the sanitizers' symbols and constructors
  bool libraries = false;     ///< admits is_vendor_symbol()
};
std::optional<Refusal> check_object(std::string_view object, const ObjectRules& rules = {});

/// Whether an object that passed check_object defines a function `prepare`.
bool has_prepare(std::string_view object);

/// Libraries (-l names) that the undefined symbols of an object need, in link order.
std::vector<std::string> needed_libraries(std::string_view object);

/// SHA-256 of the code and data that are loaded: allocated sections in file order with their
/// relocations, whose targets are given by section and offset or by external name. Excludes
/// comments, local names, line numbers, debug and unwind data. Error: a damaged file.
Result<Digest> build_hash(std::string_view object);

}  // namespace ke
