#pragma once
// Compiles a kernel of the search to a checked object, once; caches it in memory and on disk.

#include <string>
#include <vector>

#include "core/job.hpp"
#include "core/kernel.hpp"
#include "core/result.hpp"
#include "fitness/host/build/compiler.hpp"
#include "fitness/host/built.hpp"
#include "fitness/host/python_home.hpp"
#include "fitness/task.hpp"

namespace ke {

/// A kernel of the task or of the search, and whether it is trusted.
struct Arm {
  Kernel kernel;
  bool trusted = false;
};

/// Builds kernels of one task. Thread-safe.
class Builder {
 public:
  /// `cache_folder` may be empty, `python` null. Task, compiler and Python are borrowed.
  Builder(const Task& task, const Compiler& compiler, const PythonHome* python,
          std::string toolchain, std::string cache_folder);

  /// Bad kernels are values with a verdict; an Error means that the machine failed.
  Result<BuiltPtr> build(const Arm& arm);
  /// The opponent's kernel. Error: the task has no kernel of that name.
  Result<Arm> resolve(const Opponent& opponent) const;

 private:
  Result<Built> compile(const Arm& arm) const;
  Built python_build(const Arm& arm, const Digest& key) const;
  Result<void> describe(Built& built) const;
  std::optional<Built> read_cache(const Digest& key) const;
  void write_cache(const Digest& key, const Built& built) const;

  const Task& task_;
  const Compiler& compiler_;
  const PythonHome* python_;
  std::string toolchain_;
  std::string cache_folder_;
  KnownBuilds<Built> known_;
};

}  // namespace ke
