#include "experiments/study/landscape/recording_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <set>

#include "core/portable_math.hpp"
#include "experiments/run/atomic_file.hpp"
#include "fitness/timing/cluster.hpp"

namespace ke {
namespace {

/// T4's word for a verdict; `constraints` for verdicts that say nothing about the kernel.
std::string_view invalidity_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::ok: return "correct";
    case Verdict::rejected:
    case Verdict::compile_error:
    case Verdict::compile_limit:
    case Verdict::load_error: return "compile";
    case Verdict::runtime_error:
    case Verdict::resource_limit: return "runtime";
    case Verdict::timeout: return "timeout";
    case Verdict::wrong_result:
    case Verdict::nondeterministic:
    case Verdict::suspicious: return "correctness";
    case Verdict::unreliable:
    case Verdict::lost: break;
  }
  return "constraints";
}

/// Mean over the workloads of the log ratio of each kept quad; drops the first one as warm-up.
std::vector<double> log_ratios(const Comparison& comparison) {
  std::vector<double> sums;
  std::vector<double> counts;
  for (const WorkloadTiming& timing : comparison.workloads) {
    std::size_t at = 0;
    for (const Cluster& cluster : timing.clusters) {
      const auto quads = quads_of(cluster);
      for (std::size_t q = 1; quads && q < quads->size(); ++q) {
        if (!is_measurable((*quads)[q])) continue;
        if (at == sums.size()) {
          sums.push_back(0);
          counts.push_back(0);
        }
        sums[at] += log_ratio((*quads)[q]);
        ++counts[at++];
      }
    }
  }
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] /= counts[i];
  return sums;
}

Json measurement(const std::string& name, Json value, const std::string& unit) {
  return {{"name", name}, {"value", std::move(value)}, {"unit", unit}};
}

}  // namespace

double opponent_ms(const Comparison& comparison) {
  double sum = 0;
  double count = 0;
  for (const WorkloadTiming& timing : comparison.workloads) {
    if (timing.opponent_ns <= 0) continue;
    sum += portable_log(timing.opponent_ns / 1e6);
    ++count;
  }
  return count > 0 ? portable_exp(sum / count) : 1;
}

Json recording_line(Json configuration, const Fact& built, const Fact& fact, double reference_ms) {
  const bool ok = fact.verdict == Verdict::ok && fact.comparison;
  const Verdict verdict = ok || fact.verdict != Verdict::ok ? fact.verdict : Verdict::unreliable;
  Json times = {{"compilation", static_cast<double>(built.cost.compile_ns) / 1e6},
                {"runtimes", Json::array()}};
  Json measurements = Json::array();
  if (ok) {
    for (const double ratio : log_ratios(*fact.comparison)) {
      times["runtimes"].push_back(reference_ms * portable_exp(-ratio));
    }
    measurements.push_back(measurement("time", reference_ms / fact.comparison->speedup, "ms"));
    for (const auto& [name, value] : built.measures) {
      measurements.push_back(measurement(name, value, ""));
    }
  } else {
    measurements.push_back(measurement("time", std::string(to_string(verdict)), "ms"));
  }
  return {{"configuration", std::move(configuration)},
          {"times", std::move(times)},
          {"invalidity", invalidity_of(verdict)},
          {"correctness", ok ? 1 : 0},
          {"measurements", std::move(measurements)},
          {"objectives", {"time"}},
          {"verdict", to_string(verdict)},
          {"reason", fact.reason},
          {"build", fact.build_hash.is_zero() ? "" : fact.build_hash.short_hex()}};
}

namespace {

constexpr std::uint64_t most_listed = 2'000'000;

/// Lists every combination; the last flag gene varies fastest.
std::vector<Kernel> list_all(const KernelSpace& space, const Kernel& base) {
  std::vector<Kernel> points;
  for (std::uint64_t code = 0; code < space.size(); ++code) {
    Kernel kernel = base;
    std::uint64_t rest = code;
    for (std::size_t g = space.flag_genes.size(); g-- > 0;) {
      const auto& alternatives = space.flag_genes[g].alternatives;
      kernel.flags[g] = alternatives[rest % alternatives.size()];
      rest /= alternatives.size();
    }
    for (std::size_t k = space.knobs.size(); k-- > 0;) {
      const auto& values = space.knobs[k].values;
      kernel.knobs[space.knobs[k].name] = values[rest % values.size()];
      rest /= values.size();
    }
    if (space.admits(kernel)) points.push_back(std::move(kernel));
  }
  return points;
}

/// Draws distinct points from a space too large to list; fewer if it yields no more.
std::vector<Kernel> draw_some(const KernelSpace& space, const Kernel& base, std::size_t count,
                              RandomStream& random) {
  std::vector<Kernel> points;
  std::set<Digest> known;
  for (std::size_t tries = 0; points.size() < count && tries < 20 * count; ++tries) {
    auto kernel = space.sample(base, random);
    if (kernel && known.insert(kernel->genome_hash()).second) points.push_back(*std::move(kernel));
  }
  return points;
}

}  // namespace

Result<std::vector<Kernel>> plan_recording(const KernelSpace& space, const Kernel& base,
                                           std::int64_t limit, std::int64_t seed) {
  RandomStream random({.seed = static_cast<std::uint64_t>(seed), .purpose = Purpose::vary});
  const auto wanted = static_cast<std::size_t>(limit);
  if (space.size() > most_listed) {
    if (limit > 0) return draw_some(space, base, wanted, random);
    return Error{Failure::usage,
                 fmt::format("the space has {} combinations; --limit N draws some", space.size())};
  }
  std::vector<Kernel> points = list_all(space, base);
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    std::swap(points[i], points[i + random.below(points.size() - i)]);
  }
  if (limit > 0 && points.size() > wanted) points.resize(wanted);
  return points;
}

Json configuration_json(const KernelSpace& space, const Kernel& kernel) {
  Json json = Json::object();
  for (const Knob& knob : space.knobs) {
    const std::string& value = kernel.knobs.at(knob.name);
    switch (knob.kind) {
      case KnobKind::integer: json[knob.name] = knob.number(value); break;
      case KnobKind::boolean: json[knob.name] = value == "true"; break;
      case KnobKind::enumeration: json[knob.name] = value; break;
    }
  }
  for (std::size_t g = 0; g < kernel.flags.size(); ++g) {
    json[fmt::format("flag_{}", g)] = kernel.flags[g];
  }
  return json;
}

namespace {

namespace fs = std::filesystem;

Error failed(const std::string& path, std::string_view what) {
  return {Failure::store, fmt::format("{}: cannot be {}: {}", path, what, std::strerror(errno))};
}

}  // namespace

RecordingJournal::RecordingJournal(RecordingJournal&& other) noexcept
    : path_(std::move(other.path_)),
      fd_(std::exchange(other.fd_, -1)),
      results_(std::move(other.results_)),
      reference_ms_(other.reference_ms_) {}

RecordingJournal::~RecordingJournal() {
  if (fd_ >= 0) close(fd_);
}

Result<RecordingJournal> RecordingJournal::open(const std::string& path, const Json& header) {
  RecordingJournal journal;
  journal.path_ = path;
  const std::string text = content_of(path).value_or("");
  std::size_t whole = 0;  // bytes of complete lines
  bool first = true;
  for (std::size_t end = text.find('\n'); end != text.npos; end = text.find('\n', whole)) {
    const std::string line = text.substr(whole, end - whole);
    if (first && line != json_text(header)) {
      return Error{Failure::config,
                   fmt::format("{}: belongs to another recording (task, kernel, compiler, machine, "
                               "seed or limit differ); remove it to start afresh",
                               path)};
    }
    if (!first && !journal.read_line(line)) {
      return Error{Failure::store, fmt::format("{}: damaged at byte {}", path, whole)};
    }
    first = false;
    whole = end + 1;
  }
  journal.fd_ = ::open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
  if (journal.fd_ < 0) return failed(path, "opened");
  if (ftruncate(journal.fd_, static_cast<off_t>(whole)) != 0 ||
      lseek(journal.fd_, 0, SEEK_END) < 0) {
    return failed(path, "written");
  }
  if (first) KE_TRY_VOID(journal.write_line(header));
  return Result<RecordingJournal>(std::move(journal));
}

bool RecordingJournal::read_line(const std::string& line) {
  const Json json = parse_json(line);
  if (!json.is_object()) return false;
  if (const auto reference = json.find("reference_ms"); reference != json.end()) {
    reference_ms_ = reference->get<double>();
    return true;
  }
  if (!json.contains("genome") || !json.contains("result")) return false;
  const auto genome = parse_digest(json["genome"].get<std::string>());
  if (genome) results_.emplace(*genome, json["result"]);
  return genome.has_value();
}

Result<void> RecordingJournal::write_line(const Json& line) {
  const std::string text = json_text(line) + "\n";
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t wrote = write(fd_, text.data() + done, text.size() - done);
    if (wrote < 0 && errno != EINTR) return failed(path_, "written");
    done += static_cast<std::size_t>(std::max<ssize_t>(wrote, 0));
  }
  if (fdatasync(fd_) != 0) return failed(path_, "written");
  return {};
}

Result<void> RecordingJournal::set_reference(double ms) {
  reference_ms_ = ms;
  return write_line({{"reference_ms", ms}});
}

Result<void> RecordingJournal::append(const Digest& genome, Json result) {
  KE_TRY_VOID(write_line({{"genome", genome.hex()}, {"result", result}}));
  results_.insert_or_assign(genome, std::move(result));
  return {};
}

std::string landscape_text(const Json& metadata, const std::vector<Json>& results) {
  const Json document = {{"metadata", metadata}, {"results", results}, {"schema_version", "1.0.0"}};
  return document_text(document);
}

Result<void> write_landscape(const std::string& path, const Json& metadata,
                             const std::vector<Json>& results) {
  const std::string text = landscape_text(metadata, results);
  const std::string beside = path + ".new";
  const gzFile file = gzopen(beside.c_str(), "wb9");
  if (file == nullptr) return failed(beside, "created");
  const bool wrote = gzwrite(file, text.data(), static_cast<unsigned>(text.size())) > 0;
  if (gzclose(file) != Z_OK || !wrote) return failed(beside, "written");
  std::error_code code;
  fs::rename(beside, path, code);
  if (code) return Error{Failure::store, path + ": cannot be written: " + code.message()};
  return {};
}

}  // namespace ke
