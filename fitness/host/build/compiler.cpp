#include "fitness/host/build/compiler.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>

#include "core/text.hpp"
#include "fitness/descriptors/elf.hpp"
#include "fitness/host/build/flags.hpp"
#include "fitness/host/build/object_check.hpp"
#include "fitness/host/build/padding.hpp"
#include "fitness/host/build/source_check.hpp"
#include "fitness/sandbox/job.hpp"

namespace ke {
namespace {

constexpr char source_name[] = "kernel.cpp";  // fixed: the name enters __FILE__ and messages
constexpr char object_name[] = "kernel.o";
constexpr char library_name[] = "kernel.so";
constexpr char notes_name[] = "loops.txt";
constexpr std::size_t longest_compiler_detail = 300;
constexpr std::uint64_t max_padding = 64;

// The loader sees only the kernel and its preparation, whatever the source declares; or our own
// oracle (check_object refuses a candidate that exports anything else).
constexpr char version_script[] = "{ global: kernel; prepare; reference; local: *; };\n";

constexpr std::pair<std::string_view, std::string_view> library_files[] = {
    {"c", "libc.so.6"},           {"m", "libm.so.6"},
    {"mvec", "libmvec.so.1"},     {"gomp", "libgomp.so.1"},
    {"stdc++", "libstdc++.so.6"}, {"gcc_s", "libgcc_s.so.1"},
    {"gcc", "libgcc.a"},          {"loader", "ld-linux-x86-64.so.2"},
    {"asan", "libasan.so"},       {"ubsan", "libubsan.so"},
    {"tsan", "libtsan.so"},       {"openblas", "libopenblas.so.0"}};

/// The words of a command line without quotes.
std::vector<std::string> split_words(std::string_view line) {
  const auto parts = split(line, ' ');
  return {parts.begin(), parts.end()};
}

void refuse(BuildOutput& output, Verdict verdict, std::string reason, std::string_view detail) {
  output.refuse(verdict,
                {std::move(reason), std::string(detail.substr(0, longest_compiler_detail))});
}

// Checks the request itself. Returns the flags to pass; fills `output` when the request is refused.
std::vector<std::string> check_request(const BuildRequest& request, BuildOutput& output) {
  if (const auto refusal = check_defines(request.defines)) {
    refuse(output, Verdict::rejected, refusal->reason, refusal->message);
    return {};
  }
  if (request.trusted) return request.flags;
  const FlagCheck flags = check_flags(request.flags);
  if (flags.forbidden) {
    refuse(output, Verdict::rejected, "forbidden_flag",
           fmt::format("{}; allowed are {}", *flags.forbidden, allowed_flags()));
    return {};
  }
  const SourceCheck text = check_source(request.source);
  output.policy_flags = text.policy_flags;
  if (text.forbidden) {
    refuse(output, Verdict::rejected, *text.forbidden, text.detail);
    output.diagnostics.push_back(
        {source_name, text.line, 1, "error", *text.forbidden + ": " + text.detail});
  }
  return flags.accepted;
}

std::vector<std::string> compile_command(const CompilerOptions& options,
                                         const BuildRequest& request,
                                         const std::vector<std::string>& flags) {
  std::vector<std::string> argv{options.gxx};
  const auto add = [&](const std::vector<std::string>& words) {
    argv.insert(argv.end(), words.begin(), words.end());
  };
  add(fixed_flags());
  add(flags);
  add(request.instrument);
  for (const auto& [key, value] : request.defines) argv.push_back("-D" + key + "=" + value);
  if (!request.include_dir.empty()) add({"-I", request.include_dir});
  add({"-c", "-o", object_name, source_name});
  return argv;
}

// The driver reports the death of its children in separate lines. A compiler that found an error
// ended normally; the error's text comes from the candidate and may say anything.
std::string limit_reached(const ToolRun& run, const CompilerOptions& options, bool explained) {
  const auto says = [&](std::string_view text) {
    return !explained && run.output.find(text) != std::string::npos;
  };
  if (run.output_cut) return "output";
  const bool out_of_cpu =
      run.exit.cpu_ns >= static_cast<std::int64_t>(options.cpu_seconds) * 990'000'000;
  if (run.exit.kind == SandboxExit::Kind::running || out_of_cpu) return "time";
  if (says("CPU time limit exceeded signal terminated") ||
      says("\ng++: fatal error: Killed signal"))
    return "time";
  if (says("File size limit exceeded signal terminated") || says("File too large")) return "output";
  if (says("out of memory allocating") || says("virtual memory exhausted") ||
      says("Cannot allocate memory")) {
    return "memory";
  }
  return {};
}

bool explains(const std::vector<Diagnostic>& diagnostics) {
  return !diagnostics.empty() && diagnostics.front().severity.find("error") != std::string::npos;
}

// The error line of the assembler or the driver; else the first line. Empty when nothing was
// said.
std::string words_of(std::string_view output) {
  for (const std::string_view mark : {"Error: ", "error: "}) {
    const std::size_t at = output.find(mark);
    if (at != output.npos) return std::string(output.substr(at, output.find('\n', at) - at));
  }
  return std::string(output.substr(0, output.find('\n')));
}

void judge_compile(const ToolRun& run, const CompilerOptions& options,
                   const std::string& include_dir, BuildOutput& output) {
  output.cpu_seconds = static_cast<double>(run.exit.cpu_ns) * 1e-9;
  output.compile_ns = run.wall_ns;
  output.diagnostics = parse_diagnostics(run.output, source_name);
  if (run.exit.succeeded() && !run.output_cut) return;
  const std::string limit = limit_reached(run, options, explains(output.diagnostics));
  if (!limit.empty()) return refuse(output, Verdict::compile_limit, limit, {});
  if (!explains(output.diagnostics)) {
    output.diagnostics = parse_header_diagnostics(run.output, include_dir);
  }
  if (explains(output.diagnostics)) {
    return refuse(output, Verdict::compile_error, "diagnostics", output.diagnostics[0].message);
  }
  const std::string words = words_of(run.output);
  const bool refused = words.find("rror: ") != words.npos;
  refuse(output, Verdict::compile_error, refused ? "diagnostics" : "compiler_crash", words);
}

void check_result(const BuildRequest& request, BuildOutput& output) {
  if (!request.trusted) {
    const ObjectRules rules{!request.instrument.empty(), request.libraries};
    if (const auto problem = check_object(output.object, rules)) {
      refuse(output, Verdict::rejected, problem->reason, problem->message);
      return;
    }
  }
  if (const auto hash = build_hash(output.object)) output.build_hash = *hash;
}

/// Folders of a compiler outside of the system's: those that a prefix holds beside bin, for the
/// path as it is given and for what it is a link to.
std::vector<std::string> folders_of_compiler(const std::string& gxx) {
  namespace fs = std::filesystem;
  const auto is_part = [](const std::string& name) {
    for (const char* part : {"bin", "include", "lib", "lib32", "lib64", "libexec", "share"}) {
      if (name == part) return true;
    }
    return name.find("-linux-") != name.npos;  // x86_64-conda-linux-gnu
  };
  std::set<std::string> folders;
  std::error_code none;
  for (const fs::path& path : {fs::absolute(gxx, none), fs::canonical(gxx, none)}) {
    const fs::path folder = path.parent_path();
    if (folder.string().starts_with("/usr/") || folder == "/bin") continue;
    folders.insert(folder.string());
    if (folder.filename() != "bin") continue;
    for (fs::directory_iterator at(folder.parent_path(), none), end; !none && at != end;
         at.increment(none)) {
      if (at->is_directory(none) && is_part(at->path().filename())) folders.insert(at->path());
    }
  }
  return {folders.begin(), folders.end()};
}

}  // namespace

std::vector<std::string> fixed_flags() {
  return split_words(
      fmt::format("-std=gnu++20 -O2 -pipe -fPIC -fno-semantic-interposition -falign-functions=64 "
                  "-falign-loops=64 -g0 -fno-ident -frandom-seed=0 -fdiagnostics-plain-output "
                  "-fmax-errors=10 -Werror=date-time -ftrack-macro-expansion=0 "
                  "-fopt-info-vec-optimized-missed={}",
                  notes_name));
}

SandboxSpec Compiler::tool_spec(const std::string& folder) const {
  SandboxSpec spec = options_.spec(folder, SandboxProfile::compiler);
  spec.read_only.insert(spec.read_only.end(), own_folders_.begin(), own_folders_.end());
  spec.limits.address_space_bytes = options_.address_space_bytes;
  spec.limits.cpu_seconds = options_.cpu_seconds;
  spec.limits.file_bytes = options_.file_bytes;
  spec.limits.processes = 16;
  return spec;
}

Result<std::string> Compiler::ask(const std::vector<std::string>& words,
                                  const std::string& folder) const {
  KE_TRY(const ToolRun run, this->run(words, folder));
  if (run.exit.succeeded()) return run.output;
  return Error{Failure::config, fmt::format("device.compiler = {} does not work in the sandbox: "
                                            "'{}' fails: {}",
                                            options_.gxx, fmt::join(words, " "), trim(run.output))};
}

Result<Compiler> Compiler::create(CompilerOptions options) {
  Compiler compiler;
  compiler.options_ = std::move(options);
  compiler.own_folders_ = folders_of_compiler(compiler.options_.gxx);
  KE_TRY(const JobFolder folder, JobFolder::create(compiler.options_.scratch));
  KE_TRY(const std::string version, compiler.ask({"--version"}, folder.path()));
  compiler.version_ = version.substr(0, version.find('\n'));
  if (!compiler.own_folders_.empty()) {
    KE_TRY_VOID(folder.write(source_name, ""));
    KE_TRY_VOID(compiler.ask({"-c", "-o", object_name, source_name}, folder.path()));
  }
  KE_TRY(const std::string folders, compiler.ask({"-print-search-dirs"}, folder.path()));
  for (const std::string_view line : split(folders, '\n')) {
    constexpr std::string_view label = "libraries: =";
    if (!line.starts_with(label)) continue;
    for (const std::string_view path : split(line.substr(label.size()), ':')) {
      std::error_code missing;
      const auto real = std::filesystem::canonical(path, missing);
      if (!missing) compiler.library_folders_.push_back(real.string());
    }
  }
  return compiler;
}

Result<BuildOutput> Compiler::compile(const BuildRequest& request) const {
  BuildOutput output;
  const std::vector<std::string> flags = check_request(request, output);
  if (!output.ok()) return output;
  KE_TRY(const JobFolder folder, JobFolder::create(options_.scratch));
  KE_TRY_VOID(folder.write(source_name, request.source));
  SandboxSpec spec = tool_spec(folder.path());
  spec.argv = compile_command(options_, request, flags);
  if (!request.include_dir.empty()) spec.read_only.push_back(request.include_dir);
  KE_TRY(const ToolRun run, run_tool(spec, options_.wall, options_.output_bytes));
  judge_compile(run, options_, request.include_dir, output);
  if (const auto notes = folder.read(notes_name, options_.file_bytes)) {
    output.loops = parse_loop_notes(*notes, source_name);
  }
  if (!output.ok()) return output;
  auto object = folder.read(object_name, options_.file_bytes);
  if (!object) {
    refuse(output, Verdict::compile_error, "compiler_crash", "no object file");
    return output;
  }
  output.object = *std::move(object);
  check_result(request, output);
  return output;
}

Result<ToolRun> Compiler::run(const std::vector<std::string>& arguments,
                              const std::string& folder) const {
  SandboxSpec spec = tool_spec(folder);
  spec.argv = {options_.gxx};
  spec.argv.insert(spec.argv.end(), arguments.begin(), arguments.end());
  return run_tool(spec, options_.wall, options_.output_bytes);
}

// The library file itself: -lm and -lc find linker scripts, which cost more than the whole link.
// Links are followed here, because those of OpenBLAS lead through a folder that the sandbox hides.
std::string Compiler::library_argument(const std::string& library) const {
  for (const auto& [name, file] : library_files) {
    if (name != library) continue;
    for (const std::string& folder : library_folders_) {
      const std::string path = folder + "/" + std::string(file);
      std::error_code missing;
      const auto real = std::filesystem::canonical(path, missing);
      if (!missing && access(real.c_str(), R_OK) == 0) return real.string();
    }
  }
  return "-l" + library;
}

Result<BuildOutput> Compiler::link(std::string_view object, std::uint64_t padding) const {
  KE_CHECK(padding <= max_padding);
  BuildOutput output;
  if (const auto file = read_elf(object); !file) {
    refuse(output, Verdict::rejected, "damaged_object", file.error().message);
    return output;
  }
  KE_TRY(const JobFolder folder, JobFolder::create(options_.scratch));
  KE_TRY_VOID(folder.write(object_name, object));
  KE_TRY_VOID(folder.write("padding.o", padding_object(padding)));
  KE_TRY_VOID(folder.write("exports", version_script));
  SandboxSpec spec = tool_spec(folder.path());
  spec.argv = split_words(fmt::format(
      "-shared -z noexecstack -z relro -z now -z text -z defs --eh-frame-hdr --hash-style=gnu "
      "--build-id=none --as-needed --version-script=exports -o {} padding.o {}",
      library_name, object_name));
  spec.argv.insert(spec.argv.begin(), options_.ld);
  for (const std::string& library : needed_libraries(object)) {
    spec.argv.push_back(library_argument(library));
  }
  KE_TRY(const ToolRun run, run_tool(spec, options_.wall, std::size_t{1} << 16));
  output.cpu_seconds = static_cast<double>(run.exit.cpu_ns) * 1e-9;
  auto library = folder.read(library_name, options_.file_bytes);
  if (run.exit.succeeded() && library)
    output.shared_object = *std::move(library);
  else
    refuse(output, Verdict::rejected, "unresolved_symbol", run.output);
  return output;
}

Result<BuildOutput> Compiler::build(const BuildRequest& request) const {
  KE_TRY(BuildOutput output, compile(request));
  if (!output.ok()) return output;
  KE_TRY(BuildOutput linked, link(output.object, request.padding));
  output.refuse(linked.verdict, {std::move(linked.reason), std::move(linked.message)});
  output.shared_object = std::move(linked.shared_object);
  output.cpu_seconds += linked.cpu_seconds;
  return output;
}

}  // namespace ke
