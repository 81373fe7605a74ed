#include "experiments/view/report/kernel_folder.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "core/knob_space.hpp"
#include "core/language.hpp"
#include "experiments/run/atomic_file.hpp"
#include "experiments/text/json.hpp"
#include "experiments/text/shell_word.hpp"
#include "experiments/view/report/candidates.hpp"
#include "experiments/view/report/run_json.hpp"

namespace ke {
namespace {

namespace fs = std::filesystem;

Result<void> write_text(const fs::path& path, const std::string& text) {
  if (fs::exists(path)) {
    return Error{Failure::usage,
                 path.string() + " exists and is not overwritten; name another folder"};
  }
  std::ofstream file(path);
  file << text;
  if (!file.flush()) return Error{Failure::io, path.string() + ": cannot be written"};
  return {};
}

constexpr std::string_view script_head =
    "#!/bin/sh\n# Builds {} with the judge's flags, then flags and knobs of the candidate.\n"
    "set -e\ncd \"$(dirname \"$0\")\"\n";

std::string words_of(const std::vector<std::string>& arguments, bool headers) {
  std::string text;
  for (const std::string& argument : arguments) text += " \\\n  " + shell_quoted(argument);
  if (headers) text += " \\\n  -I include";
  return text;
}

/// Compiles and links in two steps, like the judge: the link must not see the kernel's flags,
/// because -ffast-math would change the arithmetic of the loading program.
std::string gxx_script(const std::vector<std::string>& arguments, bool headers,
                       const std::string& source) {
  const bool blas = source.find("cblas_") != source.npos;  // in a comment, perhaps
  std::string text = fmt::format(script_head, "kernel.so") + "\"${CXX:-g++}\"";
  for (const std::string& flag : judge_flags()) text += " " + flag;
  return text + words_of(arguments, headers) +
         " \\\n  -c -o kernel.o kernel.cpp\n"
         "printf '{ global: kernel; local: *; };\\n' >kernel.exports\n" +
         (blas ? "blas=$(nm -u kernel.o | grep -q ' U cblas_' && echo -l:libopenblas.so.0 || "
                 "true)\n"
               : "") +
         "\"${CXX:-g++}\" -shared -Wl,--version-script=kernel.exports -Wl,-z,now "
         "-Wl,-z,noexecstack \\\n"
         "  -o kernel.so kernel.o -Wl,--as-needed -lmvec -lm -lgomp" +
         (blas ? " $blas" : "") +
         "\n"
         "rm kernel.o kernel.exports\n";
}

/// The judge compiles with NVRTC; nvcc accepts the same flags.
std::string nvcc_script(const std::vector<std::string>& arguments, bool headers,
                        const std::string& source) {
  return fmt::format(script_head, "kernel.cubin") +
         "\"${NVCC:-nvcc}\" -cubin -arch=\"${ARCH:-native}\"" + words_of(arguments, headers) +
         " \\\n  -o kernel.cubin " + source + "\n";
}

Result<void> write_script(const fs::path& path, const std::string& text) {
  KE_TRY_VOID(write_text(path, text));
  std::error_code code;
  fs::permissions(path, fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec,
                  fs::perm_options::add, code);
  return {};
}

Result<void> copy_headers(const fs::path& folder, const std::string& include_dir) {
  std::error_code code;
  fs::copy(include_dir, folder / "include", fs::copy_options::recursive, code);
  if (code)
    return Error{Failure::io, fmt::format("{}: cannot be copied: {}", include_dir, code.message())};
  return {};
}

}  // namespace

Result<std::vector<std::string>> genome_arguments(const Kernel& kernel) {
  KE_TRY(const KernelSpace space, parse_kernel_space(kernel.name, kernel.source));
  std::vector<std::string> arguments = space.flags(kernel);
  for (const auto& [name, value] : space.macros(kernel))
    arguments.push_back("-D" + name + "=" + value);
  return arguments;
}

KernelBuild build_of_language(std::string_view language) {
  if (language == "cuda") return KernelBuild::nvcc;
  return language_of_kernels(language).entry == EntryRule::c_function ? KernelBuild::gxx
                                                                      : KernelBuild::none;
}

Result<WrittenKernel> write_kernel_folder(const std::string& folder, const Candidate& candidate,
                                          KernelBuild build, const std::string& include_dir,
                                          const std::map<std::string, std::string>& labels) {
  KE_TRY(const auto arguments, genome_arguments(candidate.kernel));
  KE_TRY_VOID(make_folder(folder));
  const fs::path path(folder);
  const std::string name = language_of_kernels(candidate.kernel.language).file;
  const bool headers = !include_dir.empty();
  WrittenKernel written{(path / name).string(), ""};
  KE_TRY_VOID(write_text(path / name, candidate.kernel.source));
  if (build != KernelBuild::none) {
    written.script = (path / "build.sh").string();
    KE_TRY_VOID(
        write_script(written.script, build == KernelBuild::gxx
                                         ? gxx_script(arguments, headers, candidate.kernel.source)
                                         : nvcc_script(arguments, headers, name)));
  }
  Json json = json_of(candidate, false);
  json["task"] = labels;
  KE_TRY_VOID(write_text(path / "candidate.json", document_text(json)));
  if (headers) KE_TRY_VOID(copy_headers(path, include_dir));
  return written;
}

}  // namespace ke
