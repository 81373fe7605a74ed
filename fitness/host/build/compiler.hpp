#pragma once
// Builds one kernel source in the sandbox: g++ -c, checks of the object, a bare ld.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/hash.hpp"
#include "core/result.hpp"
#include "fitness/build_outcome.hpp"
#include "fitness/host/build/diagnostics.hpp"
#include "fitness/sandbox/job.hpp"
#include "fitness/sandbox/spec.hpp"

namespace ke {

/// One source to build.
struct BuildRequest {
  std::string source;
  std::vector<std::string> flags;  ///< from the candidate; checked against the allow-list
  std::vector<std::pair<std::string, std::string>> defines;  ///< knobs, as -DNAME=VALUE
  std::string include_dir;  ///< folder of the task's headers; empty = none
  bool libraries = false;   ///< may call the vendor's libraries that is_vendor_symbol() names
  bool trusted = false;     ///< ours (baselines): skips checks of flags, text and symbols
  std::vector<std::string> instrument;  ///< our additional flags (-fsanitize=...)
  std::uint64_t padding = 0;            ///< cache lines in front of code and constants
};

/// The result. The verdict is ok, rejected, compile_error or compile_limit, with the reasons
///  - rejected: forbidden_flag, forbidden_define, forbidden_include, forbidden_directive, those of
///    check_object, unresolved_symbol;
///  - compile_error: diagnostics, compiler_crash;
///  - compile_limit: time, memory, output.
/// The message is the flag, symbol or line that caused it, or what the compiler wrote where no line
/// of the source explains it; capped. `build_hash` is zero unless compiled, and `compile_ns` is the
/// wall time of the compiler.
struct BuildOutput : BuildOutcome {
  std::vector<LoopNote> loops;  ///< the vectoriser's notes
  std::string object;           ///< bytes of the object file
  std::string shared_object;    ///< bytes of the library
  double cpu_seconds = 0;
};

struct CompilerOptions : Tools {
  std::string gxx = "/usr/bin/g++";
  std::string ld = "/usr/bin/ld";
  std::uint64_t cpu_seconds = 20;
  std::chrono::milliseconds wall{120'000};  ///< only for compilers that wait: others share cores
  std::uint64_t address_space_bytes = std::uint64_t{2} << 30;
  std::uint64_t file_bytes = std::uint64_t{64} << 20;
  std::size_t output_bytes = std::size_t{1} << 20;  ///< for messages; more is compile_limit/output
};

/// A C++ compiler and linker of this machine. Thread-safe: each call uses its own job folder.
class Compiler {
 public:
  /// Asks g++ for its version and library folders; one that is not the system's also compiles an
  /// empty file. Error: it does not work.
  static Result<Compiler> create(CompilerOptions options);

  /// compile(), then link() with request.padding. Errors: the machine fails.
  Result<BuildOutput> build(const BuildRequest& request) const;
  /// Fills everything but `shared_object`. Runs check_object on untrusted candidates.
  Result<BuildOutput> compile(const BuildRequest& request) const;
  /// Links an object from compile(). Sets only verdict, reason, message, shared_object. Takes 3 to
  /// 6 ms; different paddings give different layouts of the same code.
  Result<BuildOutput> link(std::string_view object, std::uint64_t padding) const;

  /// Runs the compiler with these arguments in `folder`; its failure is part of the result.
  Result<ToolRun> run(const std::vector<std::string>& arguments, const std::string& folder) const;

  /// First line of `g++ --version`, for provenance.
  const std::string& version() const { return version_; }
  const CompilerOptions& options() const { return options_; }
  /// The linker's argument for a library: the path of its file, or -lNAME where there is none.
  std::string library_argument(const std::string& library) const;

 private:
  Compiler() = default;
  SandboxSpec tool_spec(const std::string& folder) const;
  Result<std::string> ask(const std::vector<std::string>& words, const std::string& folder) const;

  CompilerOptions options_;
  std::vector<std::string> own_folders_;  ///< folders of a compiler that is not the system's
  std::string version_;
  std::vector<std::string> library_folders_;
};

/// Flags of every build, before the candidate's own: position independent code, aligned functions
/// and loops (both arms of a duel alike), no debug data, no tool names.
std::vector<std::string> fixed_flags();

}  // namespace ke
