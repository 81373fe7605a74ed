#pragma once
// The state of a CPU judge that all measurements of one task share.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "fitness/content/contents.hpp"
#include "fitness/host/memory_pool.hpp"
#include "fitness/host/python_home.hpp"
#include "fitness/host/watchdog.hpp"
#include "fitness/sandbox/job.hpp"
#include "fitness/sandbox/spec.hpp"
#include "fitness/task.hpp"

namespace ke {

/// The lane's environment. Everything is borrowed and used only by the lane's thread.
struct Bench {
  const Task* task = nullptr;
  Contents* contents = nullptr;
  Watchdog* watchdog = nullptr;
  MemoryPool* memory = nullptr;
  std::string tools_dir;
  std::string scratch;  ///< folder for libraries during loading
  SandboxLevel level = SandboxLevel::namespaces;
  std::int64_t load_limit_ns = 2'000'000'000;
  std::int64_t call_limit_ns = 2'000'000'000;
  std::size_t arena_bytes = std::size_t{96} << 20;  ///< for one session's tensors
  bool cold = false;  ///< no cache holds any byte of their tensors when timed calls begin
  std::vector<std::string> readable = {};  ///< files that trusted baselines may open
  const PythonHome* python = nullptr;      ///< runs Python baselines; null = none
  /// Where Python baselines work, one at a time; each finds what earlier ones compiled.
  const JobFolder* python_folder = nullptr;
  int threads() const { return static_cast<int>(task->threads); }
};

/// A file that exists as long as this object.
class TemporaryFile {
 public:
  static Result<TemporaryFile> write(const std::string& folder, const std::string& suffix,
                                     const std::string& bytes);
  TemporaryFile(TemporaryFile&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryFile& operator=(TemporaryFile&& other) noexcept;
  ~TemporaryFile();
  const std::string& path() const { return path_; }

 private:
  explicit TemporaryFile(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace ke
