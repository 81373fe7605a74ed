#include "fitness/cuda/nvrtc_compiler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <mutex>
#include <optional>
#include <vector>

#include "core/language.hpp"
#include "core/text.hpp"
#include "fitness/cuda/nvrtc.hpp"
#include "fitness/gpu/helper_process.hpp"
#include "fitness/gpu/structure.hpp"

namespace ke::cuda {

using gpu::GpuBuilt;
using gpu::GpuTarget;

namespace {

constexpr std::size_t most_diagnostics = 10;

const std::vector<std::string> allowed_flags = {
    "--use_fast_math",  "-use_fast_math",   "--fmad=true",       "--fmad=false",
    "-fmad=false",      "--ftz=true",       "--ftz=false",       "--prec-div=true",
    "--prec-div=false", "--prec-sqrt=true", "--prec-sqrt=false", "--extra-device-vectorization",
    "--restrict",       "-restrict",        "-std=c++17",        "--std=c++17",
    "-std=c++20",       "--std=c++20",      "-default-device"};

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// Parses lines like `kernel.cu(7): error: identifier "x" is undefined`.
std::vector<Diagnostic> diagnostics_of(std::string_view log, const std::string& file) {
  std::vector<Diagnostic> list;
  const std::string prefix = file + "(";
  for (std::string_view line : split(log, '\n')) {
    if (!line.starts_with(prefix) || list.size() == most_diagnostics) continue;
    line.remove_prefix(prefix.size());
    const std::size_t close = line.find("): ");
    if (close == line.npos) continue;
    Diagnostic one;
    one.file = file;
    std::from_chars(line.data(), line.data() + close, one.line);
    line.remove_prefix(close + 3);
    const std::size_t colon = line.find(": ");
    if (colon == line.npos) continue;
    one.severity = std::string(line.substr(0, line.find_first_of(" #:")));
    one.message = std::string(line.substr(colon + 2).substr(0, 300));
    list.push_back(std::move(one));
  }
  std::stable_partition(list.begin(), list.end(),
                        [](const Diagnostic& d) { return d.severity == "error"; });
  return list;
}

/// Appends a flag's options; returns why a kernel must not use it, or "".
std::string add_flag(const std::string& flag, const gpu::NvrtcDialect* dialect,
                     std::vector<std::string>& options) {
  if (dialect == nullptr) {
    options.push_back(flag);
    return refused_cuda_flag(flag);
  }
  const auto translated = dialect->flag(flag);
  if (!translated) return fmt::format("flag '{}' is not one that kernels may use", flag);
  options.insert(options.end(), translated->begin(), translated->end());
  return {};
}

/// Fixed compiler options for an architecture, e.g. "sm_90a".
std::vector<std::string> nvrtc_options(const std::string& arch, const NvrtcPlace& place,
                                       const std::string& include_dir) {
  std::vector<std::string> options{"--gpu-architecture=" + arch, "--ptxas-options=-v",
                                   "--no-source-include"};
  if (!place.include_dir.empty()) {
    // Headers of cooperative_groups include their neighbours, which --no-source-include forbids.
    for (const char* folder : {"", "/cccl", "/cooperative_groups/details"}) {
      options.push_back("--include-path=" + place.include_dir + folder);
    }
  }
  if (!include_dir.empty()) options.push_back("--include-path=" + include_dir);
  return options;
}

/// A compile process, killed and restarted when it does not answer. Used by one thread at a time.
class CompileHelper {
 public:
  CompileHelper(std::string tools_dir, NvrtcPlace place, std::chrono::milliseconds limit)
      : tools_dir_(std::move(tools_dir)), place_(std::move(place)), limit_(limit) {}
  /// Starts the process if needed and returns the compiler's version.
  Result<std::string> version() {
    if (process_) return version_;
    KE_TRY(process_, gpu::HelperProcess::start(
                         {tools_dir_ + "/kernelevolve-cuda", "compile", place_.library}));
    bool ended = false;
    const auto hello = process_->receive(std::chrono::seconds(20), ended);
    if (!hello) {
      process_.reset();
      return Error{Failure::device, "the CUDA compile process does not start"};
    }
    version_ = *hello;
    return version_;
  }
  /// Nothing when it took too long or crashed.
  Result<std::optional<CompileReply>> compile(const CompileRequest& request) {
    KE_TRY_VOID(version());
    bool ended = false;
    const auto frame = process_->ask(encode(request), limit_, ended);
    if (!frame) {
      process_.reset();
      return std::optional<CompileReply>();
    }
    KE_TRY(CompileReply reply, decode<CompileReply>(*frame));
    return std::optional(std::move(reply));
  }
  const NvrtcPlace& place() const { return place_; }

 private:
  std::string tools_dir_;
  NvrtcPlace place_;
  std::chrono::milliseconds limit_;
  std::unique_ptr<gpu::HelperProcess> process_;
  std::string version_;
};

class NvrtcCompiler final : public gpu::DeviceCompiler {
 public:
  NvrtcCompiler(const Task& task, const gpu::GpuOptions& options)
      : task_(task), options_(options) {}

  std::string language() const override {
    return options_.dialect ? options_.dialect->language : "cuda";
  }

  Result<std::string> toolchain(const GpuTarget& target) const override {
    KE_TRY(Helper helper, take_helper());
    KE_TRY(const std::string version, helper->version());
    give_back(std::move(helper));
    std::string text = fmt::format("nvrtc {}; {}; build 2", version, target.arch);
    if (options_.dialect) text += "; " + options_.dialect->toolchain;
    if (!options_.dsl) return text;
    KE_TRY(const std::string dsls, options_.dsl->toolchain(target));
    return text + dsls;
  }

  Result<std::string> compile_own(const std::string& source,
                                  const GpuTarget& target) const override {
    KE_TRY(Helper helper, take_helper());
    KE_TRY(auto reply,
           helper->compile({"judge.cu", source, nvrtc_options(target.arch, helper->place(), "")}));
    give_back(std::move(helper));
    if (reply && reply->ok) return std::move(reply->cubin);
    return Error{Failure::device,
                 "the judge's own kernels do not compile: " + (reply ? reply->log : "no answer")};
  }

  Result<GpuBuilt> build(const Kernel& kernel, const GpuTarget& target) const override {
    if (gpu::is_dsl(kernel.language)) {
      if (options_.dsl) return options_.dsl->build(kernel, target);
      return refused_build<GpuBuilt>(
          Verdict::rejected, "other_language",
          fmt::format("a kernel in {} on a device that does not compile it: set device: {}",
                      kernel.language, language_of_kernels(kernel.language).device));
    }
    KE_TRY(Helper helper, take_helper());
    auto built = compile(kernel, target, *helper);
    give_back(std::move(helper));
    return built;
  }

 private:
  using Helper = std::unique_ptr<CompileHelper>;

  Result<Helper> take_helper() const {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      Helper helper = std::move(idle_.back());
      idle_.pop_back();
      return helper;
    }
    KE_TRY(NvrtcPlace place, find_nvrtc(options_.nvrtc));
    return std::make_unique<CompileHelper>(options_.tools_dir, std::move(place),
                                           std::chrono::milliseconds(options_.compile_limit_ms));
  }

  void give_back(Helper helper) const {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(helper));
  }

  Result<GpuBuilt> compile(const Kernel& kernel, const GpuTarget& target,
                           CompileHelper& helper) const {
    const bool translated = options_.dialect && options_.dialect->language == kernel.language;
    const gpu::NvrtcDialect* dialect = translated ? options_.dialect.get() : nullptr;
    const std::string file = dialect == nullptr ? "kernel.cu" : dialect->file_name;
    PlannedKernel parts;
    if (const auto refusal = take_apart(kernel, file, parts)) {
      return refused_build<GpuBuilt>(*refusal);
    }
    CompileRequest request{file, kernel.source,
                           nvrtc_options(target.arch, helper.place(), task_.include_dir)};
    if (dialect != nullptr) {
      for (const std::string& option : dialect->options) request.options.push_back(option);
    }
    for (const std::string& flag : parts.flags) {
      const std::string problem = add_flag(flag, dialect, request.options);
      if (!problem.empty())
        return refused_build<GpuBuilt>(Verdict::rejected, "forbidden_flag", problem);
    }
    for (const auto& [macro, value] : parts.macros) {
      request.options.push_back("--define-macro=" + macro + "=" + value);
    }
    KE_TRY(const std::optional<CompileReply> reply, helper.compile(request));
    if (!reply) {
      return refused_build<GpuBuilt>(Verdict::compile_limit, "compile_limit",
                                     "the compiler took too long or ran out of memory");
    }
    GpuBuilt built;
    built.compile_ns = reply->wall_ns;
    built.diagnostics = diagnostics_of(reply->log, file);
    built.policy_flags = parts.policy_flags;
    if (!reply->ok) {
      if (dialect != nullptr) dialect->explain(built.diagnostics);
      built.verdict = Verdict::compile_error;
      built.reason = "compile_error";
      built.message =
          built.diagnostics.empty()
              ? reply->log.substr(0, 300)
              : fmt::format("line {}: {}", built.diagnostics[0].line, built.diagnostics[0].message);
      return built;
    }
    built.cubins = {reply->cubin};
    if (std::string problem = gpu::refused_modules(built.cubins); !problem.empty())
      return refused_build<GpuBuilt>(Verdict::rejected, "forbidden_call", std::move(problem));
    built.plan = parts.plan;
    built.knobs = parts.knobs;
    built.measures = gpu::ptx_measures(reply->ptx, reply->log);
    built = hashed(task_, std::move(built), target.terms, {reply->ptx, reply->log});
    if (dialect != nullptr && built.verdict == Verdict::ok)
      KE_TRY_VOID(dialect->look(kernel, parts, built));
    return built;
  }

  const Task& task_;
  const gpu::GpuOptions options_;
  mutable std::mutex mutex_;
  mutable std::vector<Helper> idle_;
};

}  // namespace

std::string refused_cuda_flag(const std::string& flag) {
  if (std::ranges::find(allowed_flags, flag) != allowed_flags.end()) return {};
  for (const std::string_view prefix :
       {"-maxrregcount=", "--maxrregcount=", "--ptxas-options=-O"}) {
    if (flag.starts_with(prefix) && is_number(std::string_view(flag).substr(prefix.size())))
      return {};
  }
  return fmt::format("flag '{}' is not one that kernels may use", flag);
}

std::shared_ptr<const gpu::DeviceCompiler> make_nvrtc_compiler(const Task& task,
                                                               const gpu::GpuOptions& options) {
  return std::make_shared<const NvrtcCompiler>(task, options);
}

}  // namespace ke::cuda
