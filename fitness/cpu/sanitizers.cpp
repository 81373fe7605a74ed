#include "fitness/cpu/sanitizers.hpp"

#include <fcntl.h>
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "core/knob_space.hpp"
#include "fitness/content/content_pool.hpp"
#include "fitness/content/shapes.hpp"
#include "fitness/sandbox/fd.hpp"
#include "fitness/sandbox/job.hpp"
#include "fitness/sandbox/level.hpp"

namespace ke {
namespace {

/// Reads descriptor 3: for each call the number of arguments, then for each argument its kind (0
/// input, 1 output, 2 value, 3 input that never changes), its bytes or its value, its alignment,
/// and an input's bytes. All numbers have 64 bits. Exit codes: 66 address, 67 undefined, 4 damaged
/// calls.
constexpr char sanitizer_harness[] = R"(
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

extern "C" const char* __asan_default_options() {
  return "detect_leaks=0:exitcode=66:allocator_may_return_null=1:detect_stack_use_after_return=0";
}
extern "C" const char* __ubsan_default_options() { return "halt_on_error=1:exitcode=67"; }

using Word = std::uint64_t;
extern "C" void kernel(Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word,
                       Word, Word, Word);
extern "C" __attribute__((weak)) void prepare(Word, Word, Word, Word, Word, Word, Word, Word, Word,
                                              Word, Word, Word, Word, Word, Word, Word);

static bool read(FILE* file, void* to, std::size_t bytes) {
  return bytes == 0 || fread(to, 1, bytes, file) == bytes;
}

int main() {
  FILE* file = fdopen(3, "rb");
  if (file == nullptr) return 4;
  Word count = 0;
  while (read(file, &count, sizeof count)) {
    Word arguments[16] = {}, unchanging[16] = {};
    Word few = 0;
    std::vector<void*> blocks;
    if (count > 16) return 4;
    for (Word i = 0; i < count; ++i) {
      Word head[3];
      if (!read(file, head, sizeof head)) return 4;
      if (head[0] == 2) {
        arguments[i] = unchanging[few++] = head[1];
        continue;
      }
      void* block = nullptr;
      if (posix_memalign(&block, head[2] < 8 ? 8 : head[2], head[1]) != 0) return 4;
      if (head[0] != 1 && !read(file, block, head[1])) return 4;
      blocks.push_back(block);
      arguments[i] = reinterpret_cast<Word>(block);
      if (head[0] == 3) unchanging[few++] = arguments[i];
    }
    const Word* a = unchanging;
    if (prepare != nullptr) {
      prepare(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13],
              a[14], a[15]);
    }
    a = arguments;
    kernel(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13],
           a[14], a[15]);
    for (void* block : blocks) free(block);
  }
  return 0;
}
)";

using Status = SanitizerReport::Status;

constexpr std::chrono::seconds longest_run{60};
constexpr std::size_t most_output = std::size_t{1} << 16;
constexpr std::size_t contents_a_shape = 2;
constexpr std::int64_t largest_call_bytes = std::int64_t{32} << 20;

enum SpanKind : std::uint64_t { input = 0, output = 1, value = 2, unchanging = 3 };

void put(std::string& calls, std::initializer_list<std::uint64_t> words) {
  for (const std::uint64_t word : words) {
    char bytes[sizeof word];
    std::memcpy(bytes, &word, sizeof word);
    calls.append(bytes, sizeof bytes);
  }
}

void put_call(const Task& task, const Content& content, std::string& calls) {
  const Shapes& shapes = *content.shapes;
  put(calls, {task.tensors.size() + shapes.axis_arguments.size()});
  for (std::size_t i = 0; i < task.tensors.size(); ++i) {
    const auto bytes = static_cast<std::uint64_t>(shapes.tensors[i].bytes);
    const auto align = static_cast<std::uint64_t>(task.tensors[i].align);
    const SpanKind read = task.tensors[i].changes ? SpanKind::input : SpanKind::unchanging;
    put(calls, {i < shapes.inputs ? read : SpanKind::output, bytes, align});
    if (i >= shapes.inputs) continue;
    const auto& data = content.inputs[i];
    calls.append(reinterpret_cast<const char*>(data.data()), data.size());
  }
  for (const std::int64_t axis : shapes.axis_arguments) {
    put(calls, {SpanKind::value, static_cast<std::uint64_t>(axis), 0});
  }
}

/// The line of the tool's message without addresses, which differ from run to run.
std::string line_after(const std::string& text, std::string_view label) {
  const std::size_t at = text.find(label);
  if (at == std::string::npos) return {};
  std::string line = text.substr(at + label.size());
  line.resize(
      std::min({line.find('\n'), line.find(" on address "), line.find(" on unknown address "),
                line.size(), SanitizerReport::most_message}));
  for (char& c : line) c = c < ' ' || c > '~' ? '?' : c;
  return line;
}

/// The kind of access, from "READ of size 4 at ...".
std::string access_of(const std::string& text) {
  for (const char* kind : {"READ of size ", "WRITE of size "}) {
    std::string rest = line_after(text, kind);
    if (!rest.empty()) return fmt::format(" ({}{})", kind, rest.substr(0, rest.find(' ')));
  }
  return {};
}

SanitizerReport report_of(const ToolRun& run) {
  if (run.exit.succeeded()) return {Status::clean, "", ""};
  if (std::string line = line_after(run.output, "ERROR: AddressSanitizer: "); !line.empty()) {
    return {Status::finding, "address", line + access_of(run.output)};
  }
  if (std::string line = line_after(run.output, "runtime error: "); !line.empty()) {
    return {Status::finding, "undefined", std::move(line)};
  }
  if (run.exit.kind == SandboxExit::Kind::running) return not_applicable("took longer than 60 s");
  return not_applicable("the instrumented kernel did not run: " +
                        line_after("\n" + run.output, "\n"));
}

/// Compiler arguments that link `program` from `parts`.
std::vector<std::string> linked(const std::string& program, const std::vector<std::string>& parts,
                                bool vendor = false) {
  std::vector<std::string> command = {"-O1", "-g0", "-fsanitize=address,undefined", "-o", program};
  command.insert(command.end(), parts.begin(), parts.end());
  for (const char* library : {"-Wl,--as-needed", "-lgomp", "-lmvec", "-lm"}) {
    command.emplace_back(library);
  }
  if (vendor) command.emplace_back("-l:libopenblas.so.0");
  return command;
}

SandboxSpec harness_spec(const CompilerOptions& options, const Task& task,
                         const JobFolder& folder) {
  SandboxSpec spec;
  spec.tools_dir = options.tools_dir;
  spec.level = options.level;
  spec.profile = SandboxProfile::worker;
  spec.argv = {folder.file("harness")};
  spec.read_only = runtime_paths();
  for (const char* file : {"harness", "kernel.so"}) spec.read_only.push_back(folder.file(file));
  spec.limits.address_space_bytes = 0;  // the shadow of the address space exceeds any limit
  spec.limits.processes = static_cast<std::uint64_t>(task.threads) + 1;
  spec.threads = static_cast<int>(task.threads);
  spec.proc = true;
  spec.cgroup = true;
  return spec;
}

}  // namespace

Result<BuildOutput> Sanitizers::build(const Kernel& kernel) const {
  KE_TRY(const KernelSpace space, parse_kernel_space(kernel.name, kernel.source));
  BuildRequest request;
  request.source = kernel.source;
  request.include_dir = task_.include_dir;
  request.libraries = task_.libraries;
  request.defines = space.macros(kernel);
  request.flags = space.flags(kernel);
  request.instrument = {"-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-lto"};
  return compiler_.compile(request);
}

Result<std::string> Sanitizers::calls() const {
  KE_TRY(SecretRandom random, SecretRandom::from_system());
  std::string calls;
  for (const Workload* workload : task_.test_workloads()) {
    KE_TRY(const Shapes shapes, resolve_shapes(task_, *workload));
    if (shapes.bytes() > largest_call_bytes) continue;
    PoolOptions options;
    options.entries = contents_a_shape;
    KE_TRY(const ContentPool pool,
           ContentPool::create(task_, *workload, reference_, random, options));
    for (const auto& entry : pool.entries()) put_call(task_, *entry, calls);
  }
  return calls;
}

Result<SanitizerReport> Sanitizers::examine(const Kernel& kernel) const {
  KE_TRY(const BuildOutput built, build(kernel));
  if (!built.ok()) {
    return not_applicable("does not build with sanitizers: " + built.reason + " " + built.message);
  }
  const CompilerOptions& options = compiler_.options();
  KE_TRY(const JobFolder folder, JobFolder::create(options.scratch));
  KE_TRY_VOID(folder.write("kernel.o", built.object));
  KE_TRY_VOID(folder.write("harness.cpp", sanitizer_harness));
  KE_TRY(const std::string data, calls());
  if (data.empty()) return not_applicable("every test shape takes more than 32 MiB");
  KE_TRY_VOID(folder.write("calls.bin", data));
  KE_TRY_VOID(folder.write("kernel.exports", "{ global: kernel; prepare; local: *; };\n"));
  // A separate library, so that the kernel's globals cannot replace functions of the harness.
  const std::vector<std::string> links[] = {
      linked("kernel.so", {"-shared", "kernel.o", "-Wl,--version-script=kernel.exports"},
             task_.libraries),
      linked("harness", {"harness.cpp", "kernel.so", "-Wl,-rpath,$ORIGIN"})};
  for (const std::vector<std::string>& command : links) {
    KE_TRY(const ToolRun made, compiler_.run(command, folder.path()));
    if (made.exit.succeeded()) continue;
    return not_applicable("does not link with sanitizers: " + line_after("\n" + made.output, "\n"));
  }
  const Fd data_fd(open(folder.file("calls.bin").c_str(), O_RDONLY | O_CLOEXEC));
  SandboxSpec spec = harness_spec(options, task_, folder);
  spec.fds = {{data_fd.get(), 3}};
  KE_TRY(const ToolRun run, run_tool(std::move(spec), longest_run, most_output));
  return report_of(run);
}

}  // namespace ke
