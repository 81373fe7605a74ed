#include "fitness/cpu/builder.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "fitness/descriptors/descriptors.hpp"
#include "fitness/host/bench.hpp"
#include "fitness/host/build/object_check.hpp"
#include "fitness/host/build/source_check.hpp"
#include "fitness/host/python_baseline.hpp"
#include "fitness/job_queues.hpp"

namespace ke {
namespace {

constexpr std::size_t most_missed = 8;

Built take(BuildOutput& output) {
  Built built;
  static_cast<BuildOutcome&>(built) = output;
  built.object = std::move(output.object);
  for (const LoopNote& loop : output.loops) {
    if (loop.vectorized || built.missed.size() == most_missed) continue;
    built.missed.push_back(fmt::format("line {}: {}", loop.line, loop.text));
  }
  return built;
}

}  // namespace

Builder::Builder(const Task& task, const Compiler& compiler, const PythonHome* python,
                 std::string toolchain, std::string cache_folder)
    : task_(task),
      compiler_(compiler),
      python_(python),
      toolchain_(std::move(toolchain)),
      cache_folder_(std::move(cache_folder)) {}

Result<Arm> Builder::resolve(const Opponent& opponent) const {
  for (const auto& [name, source] : task_.baselines) {
    if (name != opponent.name) continue;
    Kernel kernel;
    kernel.name = name;
    kernel.source = source;
    return Arm{std::move(kernel), true};
  }
  if (python_ != nullptr && !opponent.kernel) {
    if (auto baseline = find_python_baseline(task_, *python_, opponent.name)) {
      return Arm{*std::move(baseline), true};
    }
  }
  KE_TRY(Kernel kernel, resolve_opponent(opponent, task_));
  return Arm{std::move(kernel), false};
}

// Builds nothing: the baseline's process loads the source.
Built Builder::python_build(const Arm& arm, const Digest& key) const {
  Built built;
  built.trusted = true;
  built.prepares = std::ranges::any_of(
      task_.tensors, [](const TensorSpec& tensor) { return !tensor.output && !tensor.changes; });
  built.build_hash = key;
  built.object = arm.kernel.source;
  built.python = arm.kernel.language;
  return built;
}

Result<Built> Builder::compile(const Arm& arm) const {
  BuildRequest request;
  request.source = arm.kernel.source;
  request.include_dir = task_.include_dir;
  request.trusted = arm.trusted;
  request.libraries = task_.libraries;
  DeclaredKernel declared;
  if (auto refusal = read_declarations(arm.kernel, "kernel.cpp", ExtraFlags::taken, declared)) {
    return refused_build<Built>(*refusal);
  }
  request.defines = std::move(declared.macros);
  request.flags = std::move(declared.flags);
  KE_TRY(BuildOutput output, compiler_.compile(request));
  Built built = take(output);
  built.trusted = arm.trusted;
  if (built.verdict != Verdict::ok) return built;
  built.prepares = has_prepare(built.object);
  if (built.prepares && std::ranges::all_of(task_.tensors, &TensorSpec::changes)) {
    return refused_build<Built>(Verdict::rejected, "nothing_to_prepare",
                                "no input of the task has `changes: never`");
  }
  if (built.prepares) built.policy_flags.emplace_back("prepares");
  KE_TRY_VOID(describe(built));
  return built;
}

Result<void> Builder::describe(Built& built) const {
  KE_TRY(const BuildOutput linked, compiler_.link(built.object, 0));
  if (!linked.ok()) {
    built.refuse(linked.verdict, {linked.reason, linked.message});
    return {};
  }
  const auto found = describe_binary(compiler_.options(), linked.shared_object);
  if (!found) {  // an unreadable binary is the candidate's fault, not the machine's
    built.policy_flags.push_back("not_described");
    return {};
  }
  built.measures = found->measures;
  built.hot_loop = found->hot_loop;
  if (found->allocates) built.policy_flags.push_back("allocates");
  return {};
}

Result<BuiltPtr> Builder::build(const Arm& arm) {
  Encoder text;
  text("build/3")(arm.kernel.genome_hash())(task_.content_hash)(toolchain_)(arm.trusted);
  const Digest key = text.digest();
  return known_.build(key, [&]() -> Result<Built> {
    if (auto cached = read_cache(key)) return *std::move(cached);
    if (arm.trusted && is_python_baseline(arm.kernel.language)) return python_build(arm, key);
    KE_TRY(Built made, compile(arm));
    if (made.verdict != Verdict::compile_limit) write_cache(key, made);
    return made;
  });
}

std::optional<Built> Builder::read_cache(const Digest& key) const {
  if (cache_folder_.empty()) return std::nullopt;
  const std::string path = cache_folder_ + "/" + key.hex() + ".build";
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  // The first 64 characters are the hash of the rest, so a file truncated by a crash is no build.
  if (bytes.size() < 64 ||
      sha256(std::string_view(bytes).substr(64)).hex() != bytes.substr(0, 64)) {
    return std::nullopt;
  }
  auto built = decode<Built>(std::string_view(bytes).substr(64));
  if (!built) return std::nullopt;
  std::error_code ignored;  // prune_builds() keeps what was used last
  std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now(), ignored);
  return *std::move(built);
}

void Builder::write_cache(const Digest& key, const Built& built) const {
  if (cache_folder_.empty()) return;
  const std::string bytes = encode(built);
  auto file = TemporaryFile::write(cache_folder_, ".tmp", sha256(bytes).hex() + bytes);
  if (!file) return;  // the cache may fail; the build is still valid
  std::error_code ignored;
  std::filesystem::rename(file->path(), cache_folder_ + "/" + key.hex() + ".build", ignored);
}

}  // namespace ke
