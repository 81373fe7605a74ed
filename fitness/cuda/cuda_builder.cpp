#include "fitness/cuda/cuda_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/language.hpp"
#include "core/text.hpp"
#include "fitness/cuda/ptx_measures.hpp"
#include "fitness/descriptors/elf.hpp"
#include "fitness/python/dsls.hpp"

namespace ke::cuda {
namespace {

constexpr std::size_t most_known = 512;
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

/// Lines like `kernel.cu(7): error: identifier "x" is undefined`.
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

/// Why a kernel may not use a flag, or "".
std::string add_flag(const std::string& flag, const Dialect* dialect,
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

/// All of a module but the note in which its compiler keeps its own command line: other flags may
/// give the same code.
void encode_module(const std::string& module, Encoder& all) {
  const auto file = read_elf(module);
  if (!file) {
    all(module);
    return;
  }
  all(file->sections.size());
  for (const ElfSection& section : file->sections) {
    if (section.name == ".note.nv.tkinfo") continue;
    all(section.name)(section.type)(section.flags)(section.address)(section.size);
    all(section.alignment)(section.link)(section.info)(section.content);
  }
}

}  // namespace

Result<Digest> hash_build(const Task& task, const CudaBuilt& built, const DeviceTerms& device) {
  Encoder all;
  all("cuda-build/2")(built.cubins.size());
  for (const std::string& cubin : built.cubins) encode_module(cubin, all);
  KE_TRY_VOID(encode_plans(task, built.plan, built.knobs, device, all));
  return all.digest();
}

std::string refused_modules(const std::vector<std::string>& cubins) {
  using namespace std::string_view_literals;
  const bool prints = std::ranges::any_of(
      cubins, [](std::string_view cubin) { return cubin.find("\0vprintf\0"sv) != cubin.npos; });
  return prints ? "the kernel calls printf: kernels print nothing" : "";
}

std::string refused_cuda_flag(const std::string& flag) {
  if (std::ranges::find(allowed_flags, flag) != allowed_flags.end()) return {};
  for (const std::string_view prefix :
       {"-maxrregcount=", "--maxrregcount=", "--ptxas-options=-O"}) {
    if (flag.starts_with(prefix) && is_number(std::string_view(flag).substr(prefix.size())))
      return {};
  }
  return fmt::format("flag '{}' is not one that kernels may use", flag);
}

std::vector<std::string> cuda_options(const std::string& arch, const NvrtcPlace& place,
                                      const std::string& include_dir) {
  std::vector<std::string> options{"--gpu-architecture=" + arch, "--ptxas-options=-v",
                                   "--no-source-include"};
  if (!place.include_dir.empty()) options.push_back("--include-path=" + place.include_dir);
  if (!place.include_dir.empty())
    options.push_back("--include-path=" + place.include_dir + "/cccl");
  if (!include_dir.empty()) options.push_back("--include-path=" + include_dir);
  return options;
}

Result<std::string> CompileHelper::version() {
  if (process_) return version_;
  KE_TRY(process_, HelperProcess::start(tools_dir_, {"compile", place_.library}));
  bool ended = false;
  const auto hello = process_->receive(std::chrono::seconds(20), ended);
  if (!hello) {
    process_.reset();
    return Error{Failure::device, "the CUDA compile process does not start"};
  }
  version_ = *hello;
  return version_;
}

Result<std::optional<CompileReply>> CompileHelper::compile(const CompileRequest& request) {
  KE_TRY(const std::string ignored, version());
  static_cast<void>(ignored);
  bool ended = !process_->send(encode(request));
  const auto frame = ended ? std::nullopt : process_->receive(limit_, ended);
  if (!frame) {
    process_.reset();
    return std::optional<CompileReply>();
  }
  KE_TRY(CompileReply reply, decode<CompileReply>(*frame));
  return std::optional(std::move(reply));
}

Result<CudaBuilt> CudaBuilder::compile(const Kernel& kernel, CompileHelper& helper) const {
  const bool translated = dialect_ != nullptr && dialect_->language() == kernel.language;
  const Dialect* dialect = translated ? dialect_ : nullptr;
  const std::string file = dialect == nullptr ? "kernel.cu" : dialect->file_name();
  PlannedKernel parts;
  if (const auto refusal = take_apart(kernel, file, parts)) {
    return refused_build<CudaBuilt>(Verdict::rejected, refusal->reason, refusal->message);
  }
  CompileRequest request{file, kernel.source,
                         cuda_options(arch_, helper.place(), task_.include_dir)};
  if (dialect != nullptr) {
    for (const std::string& option : dialect->options()) request.options.push_back(option);
  }
  for (const std::string& flag : parts.flags) {
    const std::string problem = add_flag(flag, dialect, request.options);
    if (!problem.empty())
      return refused_build<CudaBuilt>(Verdict::rejected, "forbidden_flag", problem);
  }
  for (const auto& [macro, value] : parts.macros) {
    request.options.push_back("--define-macro=" + macro + "=" + value);
  }
  KE_TRY(const std::optional<CompileReply> reply, helper.compile(request));
  if (!reply) {
    return refused_build<CudaBuilt>(Verdict::compile_limit, "compile_limit",
                                    "the compiler took too long or ran out of memory");
  }
  CudaBuilt built;
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
  if (std::string problem = refused_modules(built.cubins); !problem.empty())
    return refused_build<CudaBuilt>(Verdict::rejected, "forbidden_call", std::move(problem));
  built.plan = parts.plan;
  built.knobs = parts.knobs;
  built.measures = ptx_measures(reply->ptx, reply->log);
  const auto hash = hash_build(task_, built, device_);
  if (!hash) return refused_build<CudaBuilt>(Verdict::rejected, "bad_plan", hash.error().message);
  built.build_hash = *hash;
  if (dialect != nullptr) KE_TRY_VOID(dialect->look(kernel, parts, built));
  return built;
}

Result<CudaBuilt> CudaBuilder::make(const Kernel& kernel, CompileHelper& helper) const {
  if (device_builder_) return device_builder_(kernel);
  if (!python::is_dsl(kernel.language)) return compile(kernel, helper);
  if (dsl_builder_) return dsl_builder_(kernel);
  return refused_build<CudaBuilt>(
      Verdict::rejected, "other_language",
      fmt::format("a kernel in {} on a device that does not compile it: set device: {}",
                  kernel.language, language_of_kernels(kernel.language).device));
}

Result<CudaBuiltPtr> CudaBuilder::build(const Kernel& kernel, CompileHelper& helper) {
  const Digest key = kernel.genome_hash();
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
  }
  KE_TRY(CudaBuilt made, make(kernel, helper));
  auto built = std::make_shared<const CudaBuilt>(std::move(made));
  const std::lock_guard lock(mutex_);
  if (known_.size() >= most_known) known_.clear();
  if (built->verdict != Verdict::compile_limit) known_[key] = built;
  return CudaBuiltPtr(built);
}

}  // namespace ke::cuda
