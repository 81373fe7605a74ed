#pragma once
// Kernels in a Python DSL become machine code in a sandboxed process. Its answers are a candidate's
// words: they are bounded and checked here, and by the device that loads them.

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/result.hpp"
#include "fitness/sandbox/scratch_folder.hpp"
#include "fitness/sandbox/spec.hpp"

namespace ke::python {

/// Names of the languages with `compiler: python`, sorted.
std::vector<std::string> dsl_names();

/// Whether a DSL can be used, and why not.
struct DslFinding {
  std::string name;
  std::string version;  ///< "" = not installed
  bool usable = false;
  std::string detail;
};

/// A Python installation, as `adapters/serve.py probe` describes it.
struct Installation {
  std::string program;             ///< the interpreter
  std::vector<std::string> paths;  ///< files and folders that it and its packages need
  std::vector<DslFinding> dsls;
  std::string python;           ///< its version
  std::string torch, numpy;     ///< their versions; "" = not installed
  bool torch_compiles = false;  ///< torch.compile has what it needs on a processor
};
/// Error: not the output of a probe.
Result<Installation> read_installation(std::string_view output);

/// One argument of a launch.
struct DslArgument {
  std::string type;      ///< "*float32", ... of a buffer; "int32" or "int64"
  bool aligned = false;  ///< a multiple of 16
};

/// One kernel of the launch plan.
struct DslKernel {
  std::string name;
  int line = 0;  ///< of its @launch
  std::vector<DslArgument> arguments;
};

/// What a kernel's source sees of knobs and of the task's fixed axes.
using DslConstant = std::variant<bool, std::int64_t, std::string>;

struct DslRequest {
  std::string dsl;
  std::string source;
  std::string arch;  ///< "sm_90a" of an NVIDIA GPU, "gfx942" of one of AMD
  std::vector<DslKernel> kernels;
  std::map<std::string, DslConstant> constants;
};

/// Machine code of one kernel: a module of an NVIDIA GPU or a code object of one of AMD.
struct DslModule {
  std::string code;
  std::string assembly;             ///< PTX, or ""
  std::string entry;                ///< which the module holds: the kernel's name, or the DSL's own
  std::vector<std::int64_t> block;  ///< threads in x, y and z; one to three
  std::int64_t shared_bytes = 0;    ///< dynamic
  std::int64_t hidden_pointers = 0;  ///< parameters behind the plan's, null
  /// What the kernel takes of the device, where `assembly` and the log do not tell: vgprs, ...
  std::map<std::string, double> resources;
};

struct DslOutput {
  /// refused: the adapter does not take it; error: it does not compile; damaged: no usable answer.
  enum class Status { ok, refused, error, limit, crash, damaged };
  Status status = Status::ok;
  std::string reason;  ///< of refused and error: a short code
  std::string message;
  int line = 0;                    ///< of the source; 0 = unknown
  std::vector<DslModule> modules;  ///< one for each kernel, in their order
  std::string log;                 ///< the assembler's, with the use of resources
  std::int64_t wall_ns = 0;
};

/// Compiles in a process for each source. Thread-safe.
struct DslCompiler {
  Installation python;
  std::string adapters;   ///< folder of serve.py
  std::string tools_dir;  ///< folder of kernelevolve-sandbox
  SandboxLevel level = SandboxLevel::namespaces;
  std::shared_ptr<const ScratchFolder> scratch;
  std::chrono::milliseconds limit{60'000};

  /// What the source does wrong is output; an Error is the machine's.
  Result<DslOutput> compile(const DslRequest& request) const;
};

}  // namespace ke::python
