#include "experiments/report/kernel_folder.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "core/knob_space.hpp"
#include "experiments/report/build_words.hpp"
#include "experiments/report/run_json.hpp"

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

/// Two steps as the judge takes them: the link sees none of the kernel's flags, or -ffast-math
/// would change the arithmetic of the program that loads it.
std::string build_script(const std::vector<std::string>& arguments, bool headers) {
  std::string text =
      "#!/bin/sh\n# Builds kernel.so as the judge built this candidate: its flags, then flags and\n"
      "# knobs of the candidate.\nset -e\ncd \"$(dirname \"$0\")\"\n\"${CXX:-g++}\"";
  for (const std::string& flag : judge_flags()) text += " " + flag;
  for (const std::string& argument : arguments) text += " \\\n  " + shell_word(argument);
  if (headers) text += " \\\n  -I include";
  return text +
         " \\\n  -c -o kernel.o kernel.cpp\n"
         "printf '{ global: kernel; local: *; };\\n' >kernel.exports\n"
         "\"${CXX:-g++}\" -shared -Wl,--version-script=kernel.exports -Wl,-z,now "
         "-Wl,-z,noexecstack \\\n"
         "  -o kernel.so kernel.o -Wl,--as-needed -lmvec -lm -lgomp\n"
         "rm kernel.o kernel.exports\n";
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

Result<void> write_kernel_folder(const std::string& folder, const Candidate& candidate,
                                 const std::string& include_dir) {
  KE_TRY(const auto arguments, genome_arguments(candidate.kernel));
  std::error_code code;
  fs::create_directories(folder, code);
  if (code)
    return Error{Failure::io, fmt::format("{}: cannot be created: {}", folder, code.message())};
  const fs::path path(folder);
  KE_TRY_VOID(write_text(path / "kernel.cpp", candidate.kernel.source));
  KE_TRY_VOID(write_text(path / "build.sh", build_script(arguments, !include_dir.empty())));
  fs::permissions(path / "build.sh",
                  fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec,
                  fs::perm_options::add, code);
  KE_TRY_VOID(write_text(path / "candidate.json",
                         json_text(json_of(candidate, false), JsonForm::lines) + "\n"));
  return include_dir.empty() ? Result<void>() : copy_headers(path, include_dir);
}

}  // namespace ke
