#include "experiments/report/kernel_folder.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "core/knob_space.hpp"
#include "experiments/report/run_json.hpp"

namespace ke {
namespace {

namespace fs = std::filesystem;

/// A word for sh, in single quotes.
std::string shell_word(const std::string& word) {
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

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

std::string build_script(const std::vector<std::string>& arguments, bool headers) {
  std::string text =
      "#!/bin/sh\n# Builds kernel.so with the flags and knobs of this candidate.\nset -e\n"
      "cd \"$(dirname \"$0\")\"\n"
      "exec \"${CXX:-g++}\" -std=c++20 -shared -fPIC -fno-fast-math";
  if (headers) text += " -I include";
  for (const std::string& argument : arguments) text += " \\\n  " + shell_word(argument);
  return text + " \\\n  kernel.cpp -o kernel.so -lm -lmvec\n";
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
  KE_TRY_VOID(write_text(path / "candidate.json", json_of(candidate, false).dump(2) + "\n"));
  return include_dir.empty() ? Result<void>() : copy_headers(path, include_dir);
}

}  // namespace ke
