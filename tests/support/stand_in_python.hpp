#pragma once
// A Python environment with stand-ins for Python DSLs: tests/support/stand_in for Triton, or
// tests/support/stand_in_cute for CuTe DSL.

#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "core/text.hpp"
#include "fitness/python/dsl_compiler.hpp"
#include "fitness/sandbox/level.hpp"

namespace ke {

/// Standard output of a shell command.
inline std::string said_by(const std::string& command) {
  std::string text;
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), &pclose);
  std::array<char, 4096> buffer{};
  while (pipe != nullptr) {
    const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe.get());
    if (got == 0) break;
    text.append(buffer.data(), got);
  }
  return text;
}

/// Compiler of an installation, in the strongest sandbox of this machine.
inline Result<python::DslCompiler> compiler_of(const python::Installation& installation);

/// A temporary environment, removed with its object.
class StandInPython {
 public:
  /// Creates the environment in a folder of this process below `folder`; `stand_in` is one of
  /// tests/support.
  explicit StandInPython(const std::string& folder, const std::string& stand_in = "stand_in")
      : home_(std::filesystem::path(folder) / (stand_in + "_" + std::to_string(getpid()))) {
    namespace fs = std::filesystem;
    const std::string found(trim(said_by(
        "python3 -c 'import sys; print(sys.executable, \"python%d.%d\" % sys.version_info[:2])'")));
    const std::size_t blank = found.find(' ');
    if (blank == found.npos) return;
    const fs::path base = found.substr(0, blank);
    packages = home_ / "lib" / found.substr(blank + 1) / "site-packages";
    fs::create_directories(home_ / "bin");
    fs::create_directories(packages);
    std::ofstream(home_ / "pyvenv.cfg") << "home = " << base.parent_path().string() << "\n";
    fs::create_symlink(base, home_ / "bin/python3");
    fs::copy(KE_SOURCE_DIR "/tests/support/" + stand_in, packages, fs::copy_options::recursive);
    probe();
  }
  StandInPython(const StandInPython&) = delete;
  StandInPython& operator=(const StandInPython&) = delete;
  ~StandInPython() { std::filesystem::remove_all(home_); }

  /// Probes again, after a test changed `packages`.
  void probe() {
    const auto read = python::read_installation(
        said_by((home_ / "bin/python3").string() + " -I -B " + adapters + "/serve.py probe"));
    if (read) installation = *read;
  }

  Result<python::DslCompiler> compiler() const { return compiler_of(installation); }

  static constexpr const char* adapters = KE_SOURCE_DIR "/fitness/python/adapters";
  python::Installation installation;  ///< no program: there is no python3 here
  std::filesystem::path packages;     ///< packages of the environment

 private:
  std::filesystem::path home_;
};

inline Result<python::DslCompiler> compiler_of(const python::Installation& installation) {
  KE_TRY(const SandboxReport sandbox, probe_sandbox(KE_BINARY_DIR));
  KE_TRY(ScratchFolder scratch, ScratchFolder::create("/tmp"));
  python::DslCompiler made;
  made.python = installation;
  made.adapters = StandInPython::adapters;
  made.tools_dir = KE_BINARY_DIR;
  made.level = sandbox.level;
  made.scratch = std::make_shared<const ScratchFolder>(std::move(scratch));
  return made;
}

}  // namespace ke
