#pragma once
// A reference in a process of its own, in the sandbox.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "fitness/reference/wire.hpp"
#include "fitness/sandbox/fd.hpp"
#include "fitness/sandbox/process.hpp"
#include "fitness/sandbox/spec.hpp"

namespace ke {

/// How the process of a reference is started. Another kind of reference is another function that
/// makes one of these, and a program that speaks reference/wire.hpp.
struct ReferenceProgram {
  std::string file;                   ///< of the task, for messages
  std::vector<std::string> argv;      ///< argv[0] is an absolute path
  std::vector<std::string> readable;  ///< files that exist in the sandbox, beside the system's
  std::shared_ptr<const void> files;  ///< kept as long as processes may be started
  std::string tools_dir;              ///< folder of kernelevolve-sandbox
  SandboxLevel level = SandboxLevel::namespaces;
  SandboxProfile profile = SandboxProfile::worker;
  std::uint64_t threads = 1;  ///< that it may start, the first one included
  std::uint64_t memory_bytes = std::uint64_t{4} << 30;  ///< beside the tensors
};

/// How a call ended.
struct ReferenceEnd {
  enum class Kind { answered, timed_out, exited, signalled };
  Kind kind = Kind::answered;
  int code = 0;                   ///< exit status or signal number
  reference_wire::Answer answer;  ///< of `answered`
};

/// One running process and the memory that it shares with this one. Its thread is the one that
/// started it: the process ends with that thread, and runs where it does.
class ReferenceProcess {
 public:
  /// Starts the process, which loads the reference; 5 to 10 ms. Error: the machine's.
  static Result<std::unique_ptr<ReferenceProcess>> start(const ReferenceProgram& program);
  ~ReferenceProcess();
  ReferenceProcess(const ReferenceProcess&) = delete;
  ReferenceProcess& operator=(const ReferenceProcess&) = delete;

  /// How loading ended: ready, not_loaded, no_symbol.
  const ReferenceEnd& loaded() const { return loaded_; }
  /// False when it has ended, whyever.
  bool alive() const;
  /// `bytes` of tensor `t`, mapped here, until the next call of this function for `t`. Error: no
  /// memory, or more than a slot takes.
  Result<std::byte*> tensor(std::size_t t, std::size_t bytes);
  /// The bytes in front of a tensor that share its first page.
  static std::size_t front_bytes(std::size_t bytes);
  /// Calls the reference. `limit` counts the process's own CPU time; ten times as much may pass on
  /// the clock. Unless `done` is answered, the process is gone.
  ReferenceEnd call(const reference_wire::Request& request, std::chrono::nanoseconds limit);
  /// Gives large tensors' pages back to the system.
  void release();

 private:
  struct Slot {
    std::byte* data = nullptr;
    std::size_t bytes = 0;  ///< mapped, whole pages
  };
  ReferenceProcess() = default;
  ReferenceEnd receive(std::chrono::nanoseconds limit);
  ReferenceEnd ended();

  SandboxedProcess process_;
  Fd socket_;
  Fd memory_;
  Slot slots_[reference_wire::max_arguments];
  ReferenceEnd loaded_;
};

}  // namespace ke
