#pragma once
// Compiles an OpenCL kernel of the search to a program with checked launch plans.

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "core/job.hpp"
#include "core/knob_space.hpp"
#include "core/result.hpp"
#include "fitness/host/built.hpp"
#include "fitness/host/wire.hpp"
#include "fitness/opencl/runner.hpp"
#include "fitness/plan/resolve_plan.hpp"
#include "fitness/sandbox/job.hpp"

namespace ke::opencl {

struct Tools {
  std::string tools_dir;  ///< folder of kernelevolve-opencl and kernelevolve-sandbox
  SandboxLevel level = SandboxLevel::namespaces;
  std::string scratch = "/tmp";

  /// Error: what is missing.
  Result<DeviceFacts> probe() const;
  /// Compiles the program, and what the driver compiles for each of the launches `prepared`, to an
  /// `object` for Runner::load. If the compiler crashes or takes longer than `limit`, that is the
  /// candidate's fault.
  Result<Built> compile(std::string_view source, const std::string& options,
                        const std::vector<wire::Launch>& prepared,
                        std::chrono::milliseconds limit) const;

 private:
  Result<ToolRun> run(const char* verb, const JobFolder& folder,
                      std::chrono::milliseconds limit) const;
};

/// Builds kernels of one task for one device. Thread-safe. A build's `object` is the program's
/// binary.
class OpenclBuilder {
 public:
  /// The task is borrowed.
  OpenclBuilder(const Task& task, Tools tools, DeviceTerms device, std::chrono::milliseconds limit)
      : task_(task), tools_(std::move(tools)), device_(std::move(device)), limit_(limit) {}

  /// Bad kernels are values with a verdict; an Error means that the machine failed.
  Result<BuiltPtr> build(const Kernel& kernel);

 private:
  Result<Built> make(const Kernel& kernel) const;
  Result<Built> compile(const Kernel& kernel, const std::string& options,
                        LaunchPlansPtr plans) const;
  Result<void> describe(Built& built) const;

  const Task& task_;
  Tools tools_;
  DeviceTerms device_;
  std::chrono::milliseconds limit_;
  KnownBuilds<Built> known_;
};

/// Programs are loaded as built: their code cannot be moved.
class ProgramLibraries final : public Libraries {
 public:
  void ahead(const BuiltPtr&, std::uint64_t) override {}
  Result<std::string> link(const BuiltPtr& built, std::uint64_t) override { return built->object; }
};

/// Why a kernel must not use a flag, or "".
std::string refused_opencl_flag(const std::string& flag);

/// This device's properties for plans: one multiprocessor, no clusters.
DeviceTerms terms_of(const DeviceFacts& facts);

}  // namespace ke::opencl
