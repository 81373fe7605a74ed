#include "experiments/dispatch/gpu_codes.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <set>

#include "core/text.hpp"
#include "experiments/dispatch/launch_text.hpp"
#include "experiments/run/atomic_file.hpp"
#include "fitness/cuda/nvrtc_compiler.hpp"
#include "fitness/descriptors/elf.hpp"
#include "fitness/gpu/gpu_device.hpp"

namespace ke {
namespace {

/// Name in the declaration: "parts" of "_ZN7Float325partsE".
std::string declared_name(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> demangled(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  const std::string name = status == 0 ? demangled.get() : symbol;
  const std::size_t scope = name.rfind("::");
  return scope == std::string::npos ? name : name.substr(scope + 2);
}

/// Returns the text without comments.
std::string without_comments(const std::string& text) {
  std::string kept;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::string_view two = std::string_view(text).substr(at, 2);
    const std::string end = two == "//" ? "\n" : two == "/*" ? "*/" : "";
    if (end.empty()) {
      kept += text[at];
      continue;
    }
    at = std::min(text.find(end, at + 2), text.size());
    at += end.size() - 1;
    kept += ' ';
  }
  return kept;
}

/// Names that are declared constant outside of functions: machine code does not distinguish
/// constants from variables.
std::set<std::string> constants_of(const std::string& source) {
  std::set<std::string> names;
  std::vector<bool> functions;  // for each open brace: whether it begins a function
  std::string declaration, word;
  const auto end_word = [&] {
    const bool inside = std::ranges::find(functions, true) != functions.end();
    const bool lasts = !inside || declaration.find("static") != std::string::npos;
    if (!word.empty() && lasts && declaration.find("const") != std::string::npos) {
      names.insert(word);
    }
    declaration += word;
    word.clear();
  };
  for (const char c : without_comments(source)) {
    if (may_stand_in_identifier(c)) {
      word += c;
      continue;
    }
    end_word();
    declaration += c;
    if (c == '{') {
      functions.push_back(declaration.find('(') != std::string::npos);
    } else if (c == '}' && !functions.empty()) {
      functions.pop_back();
    }
    if (c == ';' || c == '{' || c == '}') declaration.clear();
  }
  return names;
}

/// True for sections of variables in device memory, of NVIDIA's compilers and of clang for AMD.
bool holds_variables(std::string_view section) {
  return section.starts_with(".nv.global") || section == ".data" || section == ".bss";
}

}  // namespace

Result<std::vector<std::string>> device_variables(const std::string& cubin,
                                                  const std::string& source) {
  KE_TRY(const ElfFile file, read_elf(cubin));
  std::vector<std::string> names;
  const std::set<std::string> constants = constants_of(source);
  for (const ElfSymbol& symbol : file.symbols) {
    constexpr std::uint8_t object = 1;
    if (symbol.type != object || symbol.section == 0 || symbol.section >= file.sections.size()) {
      continue;
    }
    if (!holds_variables(file.sections[symbol.section].name)) continue;
    if (symbol.name.starts_with("__hip_cuid_")) continue;  // clang's mark of a translation unit
    std::string name = declared_name(symbol.name);
    if (!constants.contains(name)) names.push_back(std::move(name));
  }
  return names;
}

namespace {

/// The kernel's source and the headers that it may include.
std::string whole_source(const Task& task, const Kernel& kernel) {
  std::string text = kernel.source;
  if (task.include_dir.empty()) return text;
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator(task.include_dir, code)) {
    text += "\n" + content_of(entry.path().string()).value_or("");
  }
  return text;
}

}  // namespace

Result<GpuBuilder> open_gpu_builder(const Task& task, const gpu::GpuOptions& options) {
  std::shared_ptr<const gpu::Driver> driver = options.driver;
  if (driver == nullptr) {
    KE_TRY(driver, gpu::load_driver());
  }
  KE_TRY(const auto gpus, gpu::describe_gpus(*driver, options.gpus));
  const bool named = options.compiler != nullptr;
  return GpuBuilder{named ? options.compiler : cuda::make_nvrtc_compiler(task, options),
                    {gpus.front().arch, gpus.front().terms}};
}

Result<std::vector<GpuCode>> GpuCodes::make(const Kernel& kernel, const Digest& build) const {
  KE_TRY(const gpu::GpuBuilt built, own_.compiler->build(kernel, own_.target));
  if (built.build_hash != build) {
    return Error{Failure::device, fmt::format("compiled again it is another kernel than the one "
                                              "that was judged{}{}",
                                              built.message.empty() ? "" : ": ", built.message)};
  }
  std::vector<GpuCode> codes;
  KE_TRY(codes.emplace_back(), code_of(own_, kernel, built));
  for (const GpuBuilder& builder : further_) {
    KE_TRY(const gpu::GpuBuilt other, builder.compiler->build(kernel, builder.target));
    if (other.verdict != Verdict::ok) return Error{Failure::config, other.message};
    KE_TRY(codes.emplace_back(), code_of(builder, kernel, other));
  }
  return codes;
}

Result<GpuCode> GpuCodes::code_of(const GpuBuilder& builder, const Kernel& kernel,
                                  const gpu::GpuBuilt& built) const {
  const std::string source = whole_source(*task_, kernel);
  for (const std::string& cubin : built.cubins) {
    KE_TRY(const auto variables, device_variables(cubin, source));
    if (variables.empty()) continue;
    return Error{Failure::config, fmt::format("it keeps the __device__ variable '{}', which calls "
                                              "on two streams would share",
                                              variables.front())};
  }
  KE_TRY(std::string launch, launch_text(*task_, built.plan, built.knobs));
  return GpuCode{builder.target.arch, launched_kernels(built.plan), built.cubins,
                 std::move(launch)};
}

}  // namespace ke
