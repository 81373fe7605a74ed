#pragma once
// Runs a reference in a separate, sandboxed process.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/result.hpp"
#include "fitness/reference/wire.hpp"
#include "fitness/sandbox/fd.hpp"
#include "fitness/sandbox/process.hpp"
#include "fitness/sandbox/spec.hpp"

namespace ke {

/// How to start the process of a reference. Another kind of reference needs only a function that
/// makes this struct, and a program that speaks reference/wire.hpp.
struct ReferenceProgram {
  std::string file;                   ///< the task's file, for messages
  std::vector<std::string> argv;      ///< argv[0] is an absolute path
  std::vector<std::string> readable;  ///< files in the sandbox, in addition to the system's
  std::shared_ptr<const void> files;  ///< keeps files alive while processes may start
  std::string tools_dir;              ///< folder of kernelevolve-sandbox
  SandboxLevel level = SandboxLevel::namespaces;
  SandboxProfile profile = SandboxProfile::worker;
  std::uint64_t threads = 1;  ///< maximum number of threads, including the first one
  std::uint64_t memory_bytes = std::uint64_t{4} << 30;  ///< in addition to the tensors
};

/// The end of a call.
struct ReferenceEnd {
  enum class Kind { answered, timed_out, exited, signalled };
  Kind kind = Kind::answered;
  int code = 0;                   ///< exit status or signal number
  reference_wire::Answer answer;  ///< valid if `kind` is answered
};

/// One running process and the memory that it shares with this one. It ends with the thread that
/// started it, and runs on that thread's cores until another one calls follow_this_thread().
class ReferenceProcess {
 public:
  /// Starts the process, which loads the reference; takes 5 to 10 ms. Error: the machine fails.
  static Result<std::unique_ptr<ReferenceProcess>> start(const ReferenceProgram& program);
  ~ReferenceProcess();
  ReferenceProcess(const ReferenceProcess&) = delete;
  ReferenceProcess& operator=(const ReferenceProcess&) = delete;

  /// The result of loading: ready, not_loaded, no_symbol.
  const ReferenceEnd& loaded() const { return loaded_; }
  /// False when the process has ended for any reason.
  bool alive() const;
  std::thread::id starter() const { return starter_; }
  /// Runs on the cores of the calling thread from now on.
  void follow_this_thread() const;
  /// Maps `bytes` of tensor `t` here, until the next call of this function for `t`. Error: no
  /// memory, or more than fits into a slot.
  Result<std::byte*> tensor(std::size_t t, std::size_t bytes);
  /// The bytes before a tensor on its first page.
  static std::size_t front_bytes(std::size_t bytes);
  /// Calls the reference. `limit` is the process's CPU time; ten times as much may pass on the
  /// clock. Unless `done` is answered, the process has ended.
  ReferenceEnd call(const reference_wire::Request& request, std::chrono::nanoseconds limit);
  /// Returns the pages of large tensors to the system.
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
  std::thread::id starter_ = std::this_thread::get_id();
};

}  // namespace ke
