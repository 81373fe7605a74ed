#include "fitness/hip/hip_dialect.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "fitness/hip/amd_builder.hpp"

namespace ke::hip {
namespace {

class HipDialect final : public gpu::NvrtcDialect {
 public:
  HipDialect(const Task& task, AmdOptions options, std::string toolchain)
      : builder_(task, std::move(options)), toolchain_(std::move(toolchain)) {}

  std::string language() const override { return "hip"; }
  std::string file_name() const override { return hip_file; }
  std::string toolchain() const override { return toolchain_; }
  std::vector<std::string> options() const override {
    return {"--include-path=" + builder_.options().include_dir, "--pre-include=hip/hip_runtime.h"};
  }
  std::optional<std::vector<std::string>> flag(const std::string& flag) const override {
    return nvrtc_flags(flag);
  }

  void explain(std::vector<Diagnostic>& errors) const override {
    for (Diagnostic& error : errors) {
      if (error.message.find("__builtin_amdgcn_") == std::string::npos) continue;
      error.message += " on NVIDIA GPUs; guard it with #ifdef __HIP_PLATFORM_AMD__";
    }
  }

  Result<void> look(const Kernel& kernel, const PlannedKernel& parts,
                    BuildOutcome& built) const override {
    KE_TRY(const auto objects, builder_.build(kernel, parts, built));
    static_cast<void>(objects);  // only whether they compile matters
    return {};
  }

 private:
  AmdBuilder builder_;
  std::string toolchain_;
};

/// Digest over names and bytes of our headers.
Result<Digest> digest_of_headers(const std::string& folder) {
  namespace fs = std::filesystem;
  std::map<std::string, std::string> files;
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(fs::path(folder) / "hip", code)) {
    std::ifstream in(entry.path(), std::ios::binary);
    files[entry.path().filename().string()] = std::string(std::istreambuf_iterator<char>(in), {});
  }
  if (code || !files.contains("hip_runtime.h")) {
    return Error{Failure::device,
                 folder + "/hip/hip_runtime.h is missing; install configs/backends"};
  }
  Encoder text;
  text("hip-headers/1")(files);
  return text.digest();
}

}  // namespace

std::shared_ptr<const gpu::NvrtcDialect> make_hip_dialect(const Task& task, AmdOptions options,
                                                          std::string toolchain) {
  return std::make_shared<const HipDialect>(task, std::move(options), std::move(toolchain));
}

Result<std::string> toolchain_of(const AmdOptions& options) {
  KE_TRY(const Digest headers, digest_of_headers(options.include_dir));
  const std::string text = fmt::format("hip headers {}", headers.short_hex());
  if (options.targets.empty()) return text;
  const auto version = compiler_version(options.tools);
  if (version) {
    std::string dsl;
    if (options.dsl) {
      KE_TRY(dsl, options.dsl->toolchain({}));
    }
    return fmt::format("{}; {} for {}; build 1{}", text, *version, fmt::join(options.targets, ", "),
                       dsl);
  }
  return Error{Failure::device,
               fmt::format("no compiler for device.targets = [{}]: {}, or set device.targets=[] to "
                           "judge on an NVIDIA GPU alone",
                           fmt::join(options.targets, ", "), version.error().message)};
}

}  // namespace ke::hip
