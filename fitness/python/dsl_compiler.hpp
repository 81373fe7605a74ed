#pragma once
// Compiles kernels in a Python DSL to machine code, in a sandboxed process. Its answers may be
// forged by a candidate, so this code and the loading device bound and check them.

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/result.hpp"
#include "fitness/build_outcome.hpp"
#include "fitness/sandbox/scratch_folder.hpp"
#include "fitness/sandbox/spec.hpp"

namespace ke::python {

/// Name of kernel sources in diagnostics.
inline constexpr const char* kernel_file = "kernel.py";

/// Names of the languages with `compiler: python`, sorted.
std::vector<std::string> dsl_names();

/// Whether a DSL is usable, and why not.
struct DslFinding {
  std::string name;
  std::string version;  ///< "" = not installed
  bool usable = false;
  std::string detail;
};

/// A Python installation, as described by `adapters/serve.py probe`.
struct Installation {
  std::string program;             ///< the interpreter
  std::vector<std::string> paths;  ///< files and folders that this Python and its packages need
  std::vector<DslFinding> dsls;
  std::string python;           ///< its version
  std::string torch, numpy;     ///< their versions; "" = not installed
  bool torch_compiles = false;  ///< all requirements of torch.compile on a CPU are present
};
/// Error: the text is not the output of a probe.
Result<Installation> read_installation(std::string_view output);

/// One argument of a launch.
struct DslArgument {
  std::string type;      ///< "*float32", ... for a buffer; "int32" or "int64"
  bool aligned = false;  ///< a multiple of 16
};

/// One kernel of the launch plan.
struct DslKernel {
  std::string name;
  int line = 0;  ///< line of its @launch
  std::vector<DslArgument> arguments;
};

/// The value of a knob or of a fixed axis of the task, as seen by a kernel's source.
using DslConstant = std::variant<bool, std::int64_t, std::string>;

struct DslRequest {
  std::string dsl;
  std::string source;
  std::string arch;  ///< "sm_90a" for an NVIDIA GPU, "gfx942" for one of AMD
  std::vector<DslKernel> kernels;
  std::map<std::string, DslConstant> constants;
};

/// Machine code of one kernel: a module for an NVIDIA GPU or a code object for one of AMD.
struct DslModule {
  std::string code;
  std::string assembly;              ///< PTX, or ""
  std::string entry;                 ///< name in the module: the kernel's name, or the DSL's own
  std::vector<std::int64_t> block;   ///< threads in x, y and z; one to three
  std::int64_t shared_bytes = 0;     ///< dynamic
  std::int64_t hidden_pointers = 0;  ///< additional parameters after the plan's, always null
  /// Resources that the kernel uses, if `assembly` and the log do not contain them: vgprs, ...
  std::map<std::string, double> resources;
};

/// The result of compiling: modules, or a verdict. Reasons are the adapters', or compile_limit,
/// compiler_crash, bad_reply (the process left no usable answer).
struct DslOutput : BuildOutcome {
  std::vector<DslModule> modules;  ///< one per kernel, in the same order
  std::string log;                 ///< the assembler's, with the resource usage
};

/// Compiles each source in a separate process. Thread-safe.
struct DslCompiler {
  Installation python;
  std::string adapters;   ///< folder of serve.py
  std::string tools_dir;  ///< folder of kernelevolve-sandbox
  SandboxLevel level = SandboxLevel::namespaces;
  std::shared_ptr<const ScratchFolder> scratch;
  std::chrono::milliseconds limit{60'000};

  /// A faulty source gives an output; an Error means that the machine failed.
  Result<DslOutput> compile(const DslRequest& request) const;
};

}  // namespace ke::python
