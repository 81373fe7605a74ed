#include "fitness/python/dsl_compiler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <csignal>
#include <nlohmann/json.hpp>

#include "core/json.hpp"
#include "core/language.hpp"
#include "core/text.hpp"
#include "fitness/descriptors/elf.hpp"
#include "fitness/gpu/gpu_compiler.hpp"
#include "fitness/sandbox/job.hpp"

namespace ke::python {
namespace {

constexpr std::size_t most_output = std::size_t{1} << 20;
constexpr std::size_t largest_reply = std::size_t{1} << 20;
constexpr std::size_t largest_module = std::size_t{16} << 20;
constexpr std::size_t longest_message = 300;
constexpr std::uint64_t largest_file = std::uint64_t{64} << 20;
constexpr std::int64_t most_threads = 2048;  // in one dimension
constexpr std::size_t most_dimensions = 3;
constexpr std::size_t longest_entry = 1024;
constexpr std::int64_t most_shared_bytes = 1 << 20;
constexpr std::int64_t most_hidden_pointers = 8;
constexpr std::int64_t most_of_resource = 1 << 30;

// Reasons that adapters report.
constexpr std::string_view refusals[] = {"refused_construct", "bad_plan", "no_such_kernel"};
constexpr std::string_view errors[] = {"syntax_error", "import_error", "module_error",
                                       "compile_error"};

std::string text_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// The number if it is within [0, most], else -1.
std::int64_t bounded(const Json& json, std::int64_t most) {
  if (!json.is_number_unsigned()) return -1;
  const auto value = json.get<std::uint64_t>();
  return value <= static_cast<std::uint64_t>(most) ? static_cast<std::int64_t>(value) : -1;
}

std::int64_t number_of(const Json& json, const char* key, std::int64_t most) {
  const auto found = json.find(key);
  return found == json.end() ? -1 : bounded(*found, most);
}

/// A list of one to three thread counts; empty for anything else.
std::vector<std::int64_t> block_of(const Json& json) {
  const auto found = json.find("block");
  if (found == json.end() || !found->is_array() || found->size() > most_dimensions) return {};
  std::vector<std::int64_t> block;
  for (const Json& one : *found) block.push_back(bounded(one, most_threads));
  return std::ranges::all_of(block, [](std::int64_t n) { return n > 0; }) ? block
                                                                          : decltype(block)();
}

/// Whether the text is a valid name for assemblers.
bool is_entry(std::string_view text) {
  const auto is_part = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '$'; };
  return !text.empty() && text.size() <= longest_entry && std::ranges::all_of(text, is_part);
}

/// One line that is safe to print on a terminal.
std::string one_line(std::string_view text) {
  std::string line(trim(text).substr(0, longest_message));
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < ' ' || c == 127) c = ' ';
  }
  return line;
}

std::string request_text(const DslRequest& request) {
  Json kernels = Json::array();
  for (const DslKernel& kernel : request.kernels) {
    Json arguments = Json::array();
    for (const DslArgument& one : kernel.arguments) {
      arguments.push_back({{"type", one.type}, {"aligned", one.aligned}});
    }
    kernels.push_back({{"name", kernel.name}, {"line", kernel.line}, {"arguments", arguments}});
  }
  Json constants = Json::object();
  for (const auto& [name, value] : request.constants) {
    std::visit([&, &key = name](const auto& plain) { constants[key] = plain; }, value);
  }
  return json_text({{"arch", request.arch}, {"kernels", kernels}, {"constants", constants}});
}

DslOutput damaged(std::string message) {
  return refused_build<DslOutput>(
      Verdict::rejected, "bad_reply",
      "the compile process left no usable answer: " + std::move(message));
}

/// Whether a module has code for the entry: a separate section for NVIDIA GPUs, a descriptor among
/// the symbols for AMD's.
bool holds_entry(const ElfFile& elf, const std::string& entry) {
  const ElfSection* code = elf.find(".text." + entry);
  if (code != nullptr) return !code->content.empty();
  return std::ranges::any_of(elf.symbols, [&](const ElfSymbol& symbol) {
    return symbol.name == entry + ".kd" && !symbol.undefined();
  });
}

/// Why a module lacks its entry, or "".
std::string problem_of(const DslModule& module) {
  const auto elf = read_elf(module.code);
  if (!elf) return elf.error().message;
  if (holds_entry(*elf, module.entry)) return {};
  return fmt::format("no code of '{}' in its module", module.entry);
}

std::map<std::string, double> resources_of(const Json& facts) {
  std::map<std::string, double> resources;
  for (const std::string_view name : gpu::resource_names) {
    const auto found = facts.find("resources");
    if (found == facts.end() || !found->is_object()) break;
    const std::int64_t value = number_of(*found, std::string(name).c_str(), most_of_resource);
    if (value >= 0) resources[std::string(name)] = static_cast<double>(value);
  }
  return resources;
}

Result<DslModule> read_module(const Json& facts, const JobFolder& folder, std::size_t index,
                              const std::string& kernel) {
  DslModule module;
  module.entry = facts.contains("entry") ? text_of(facts, "entry") : kernel;
  module.block = block_of(facts);
  module.shared_bytes = number_of(facts, "shared_bytes", most_shared_bytes);
  module.hidden_pointers = number_of(facts, "hidden_pointers", most_hidden_pointers);
  if (module.block.empty() || module.shared_bytes < 0 || module.hidden_pointers < 0) {
    return Error{Failure::io, fmt::format("numbers of '{}' out of bounds", kernel)};
  }
  if (!is_entry(module.entry)) return Error{Failure::io, fmt::format("no entry of '{}'", kernel)};
  module.resources = resources_of(facts);
  KE_TRY(module.code, folder.read(fmt::format("{}.code", index), largest_module));
  KE_TRY(module.assembly, folder.read(fmt::format("{}.assembly", index), largest_module));
  if (std::string problem = problem_of(module); !problem.empty()) {
    return Error{Failure::io, std::move(problem)};
  }
  return module;
}

/// The error that an adapter reports.
DslOutput refused_by_adapter(const Json& error) {
  const std::string reason = text_of(error, "reason");
  const bool refused = holds(refusals, reason);
  if (!refused && !holds(errors, reason)) return damaged("an unknown reason");
  const std::string message = one_line(text_of(error, "message"));
  const int line = static_cast<int>(std::max<std::int64_t>(number_of(error, "line", 1 << 20), 0));
  auto output =
      refused_build<DslOutput>(refused ? Verdict::rejected : Verdict::compile_error, reason,
                               line > 0 ? fmt::format("line {}: {}", line, message) : message);
  output.diagnostics.push_back(
      {.file = kernel_file, .line = line, .severity = "error", .message = message});
  return output;
}

DslOutput read_reply(const JobFolder& folder, const DslRequest& request) {
  const auto text = folder.read("reply.json", largest_reply);
  if (!text) return damaged("no reply");
  const Json reply = parse_json(*text);
  if (!reply.is_object()) return damaged("no JSON object");
  if (const auto error = reply.find("error"); error != reply.end()) {
    return refused_by_adapter(*error);
  }
  const auto modules = reply.find("modules");
  if (modules == reply.end() || !modules->is_array() || modules->size() != request.kernels.size()) {
    return damaged(fmt::format("not one module for each of {} kernels", request.kernels.size()));
  }
  DslOutput output;
  for (std::size_t i = 0; i < request.kernels.size(); ++i) {
    auto module = read_module((*modules)[i], folder, i, request.kernels[i].name);
    if (!module) return damaged(one_line(module.error().message));
    output.modules.push_back(*std::move(module));
  }
  output.log = text_of(reply, "log");
  return output;
}

bool killed(const SandboxExit& exit) {
  return exit.kind == SandboxExit::Kind::signalled &&
         (exit.code == SIGKILL || exit.code == SIGXCPU);
}

/// The last line of the process's output, which holds Python's message about an uncaught exception.
std::string_view last_line(std::string_view text) {
  text = trim(text);
  return text.substr(text.find_last_of('\n') + 1);
}

DslOutput output_of(const ToolRun& ran, const JobFolder& folder, const DslRequest& request) {
  DslOutput output;
  if (ran.exit.kind == SandboxExit::Kind::running || ran.output_cut || killed(ran.exit)) {
    output =
        refused_build<DslOutput>(Verdict::compile_limit, "compile_limit",
                                 "the compiler took too long, wrote too much or ran out of memory");
  } else if (!ran.exit.succeeded()) {
    const bool signalled = ran.exit.kind == SandboxExit::Kind::signalled;
    output =
        refused_build<DslOutput>(Verdict::compile_error, "compiler_crash",
                                 one_line(fmt::format("the compile process ended with {} {}: {}",
                                                      signalled ? "signal" : "exit code",
                                                      ran.exit.code, last_line(ran.output))));
  } else {
    output = read_reply(folder, request);
  }
  output.compile_ns = ran.wall_ns;
  return output;
}

}  // namespace

std::vector<std::string> dsl_names() {
  std::vector<std::string> names;
  for (const Language& language : languages()) {
    if (language.compiler == "python") names.push_back(language.name);
  }
  return names;
}

Result<Installation> read_installation(std::string_view output) {
  const Json json = parse_json(output);
  const Error error{Failure::device, "the Python interpreter does not answer as one"};
  if (!json.is_object()) return error;
  Installation found;
  found.program = text_of(json, "program");
  const auto paths = json.find("paths");
  const auto dsls = json.find("dsls");
  if (found.program.empty() || paths == json.end() || dsls == json.end()) return error;
  for (const Json& path : *paths) found.paths.push_back(path.get<std::string>());
  for (const Json& one : *dsls) {
    found.dsls.push_back({text_of(one, "name"), text_of(one, "version"), one.value("usable", false),
                          text_of(one, "detail")});
  }
  found.python = text_of(json, "python");
  if (const auto versions = json.find("versions"); versions != json.end()) {
    found.torch = text_of(*versions, "torch");
    found.numpy = text_of(*versions, "numpy");
  }
  found.torch_compiles = json.value("torch_compiles", false);
  return found;
}

Result<DslOutput> DslCompiler::compile(const DslRequest& request) const {
  KE_TRY(const JobFolder folder, JobFolder::create(scratch->path()));
  KE_TRY_VOID(folder.write(kernel_file, request.source));
  KE_TRY_VOID(folder.write("request.json", request_text(request)));
  SandboxSpec spec;
  spec.tools_dir = tools_dir;
  spec.level = level;
  spec.profile = SandboxProfile::compiler;
  // -I: neither the environment nor the current folder, which the source can write, adds modules.
  spec.argv = {python.program, "-I", "-B", adapters + "/serve.py", "compile", request.dsl};
  spec.read_only = toolchain_paths();
  spec.read_only.insert(spec.read_only.end(), python.paths.begin(), python.paths.end());
  spec.read_only.push_back(adapters);
  spec.writable = {{folder.path(), 0}};
  spec.working_dir = folder.path();
  spec.limits.cpu_seconds = static_cast<std::uint64_t>(limit.count() / 1000 + 1);
  spec.limits.file_bytes = largest_file;
  spec.limits.processes = 32;  // CuTe DSL starts up to 16 threads
  KE_TRY(const ToolRun ran, run_tool(spec, limit, most_output));
  return output_of(ran, folder, request);
}

}  // namespace ke::python
