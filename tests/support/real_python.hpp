#pragma once
// A Python with a DSL's own package, for tests that a stand-in cannot do.

#include <algorithm>
#include <optional>
#include <string>

#include "tests/support/stand_in_python.hpp"

namespace ke {

/// Compiler with a DSL's package, from the environment made by tests/install_dsls.sh, else from the
/// python3 in PATH. Nothing if neither has a usable version; why_no_package() gives the reason.
inline std::optional<python::DslCompiler> real_compiler(const std::string& dsl) {
  for (const std::string& python :
       {std::string(KE_SOURCE_DIR "/build/dsls/bin/python3"), std::string("python3")}) {
    const auto found = python::read_installation(
        said_by(python + " -I -B " + StandInPython::adapters + "/serve.py probe 2>/dev/null"));
    if (!found) continue;
    const auto one = std::ranges::find(found->dsls, dsl, &python::DslFinding::name);
    if (one == found->dsls.end() || !one->usable) continue;
    auto compiler = compiler_of(*found);
    if (compiler) return *std::move(compiler);
  }
  return std::nullopt;
}

inline std::string why_no_package(const std::string& dsl) {
  return "no usable package of " + dsl +
         " in build/dsls or in the python3 of PATH: tests/install_dsls.sh installs it";
}

}  // namespace ke
