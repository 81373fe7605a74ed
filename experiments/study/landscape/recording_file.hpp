#pragma once
// A recording on disk: a journal of JSON lines while it grows, then a landscape in the T4 format;
// and the choice and order of the configurations that it measures.

#include <map>
#include <string>
#include <vector>

#include "core/evaluation.hpp"
#include "core/hash.hpp"
#include "core/knob_space.hpp"
#include "core/result.hpp"
#include "experiments/text/json.hpp"

namespace ke {

/// Geometric mean over the workloads of the opponent's time per call, in ms.
double opponent_ms(const Comparison& comparison);

/// Builds a T4 result with the added keys `verdict`, `reason` and `build`. `built` provides
/// measures and compile time, `fact` the verdict and, if ok, the times. [reference_ms / speedup]
Json recording_line(Json configuration, const Fact& built, const Fact& fact, double reference_ms);

/// All admitted points of the knob x flag space, or `limit` of them drawn without replacement (0 =
/// all), in an order drawn from `seed`. The random order turns drift of the machine into noise and
/// makes an interrupted recording a uniform sample. Error if the space is too large to list and
/// there is no limit.
Result<std::vector<Kernel>> plan_recording(const KernelSpace& space, const Kernel& base,
                                           std::int64_t limit, std::int64_t seed);

/// {"KNOB": value, ..., "flag_0": "-O2", ...}: integers and bools keep their type, other values
/// become text.
Json configuration_json(const KernelSpace& space, const Kernel& kernel);

/// Append-only journal; each entry is durable when `append` returns. Opening drops an incomplete
/// last line, which a kill leaves.
class RecordingJournal {
 public:
  /// Opens `path` or creates it with `header` as its first line. Error if it holds another header,
  /// that of another recording.
  static Result<RecordingJournal> open(const std::string& path, const Json& header);
  RecordingJournal(RecordingJournal&& other) noexcept;
  RecordingJournal& operator=(RecordingJournal&&) = delete;
  ~RecordingJournal();

  /// Recorded results by genome.
  const std::map<Digest, Json>& results() const { return results_; }
  /// Anchor time that all times are relative to, in ms; 0 = not measured yet.
  double reference_ms() const { return reference_ms_; }
  Result<void> set_reference(double ms);
  Result<void> append(const Digest& genome, Json result);

 private:
  RecordingJournal() = default;
  Result<void> write_line(const Json& line);
  bool read_line(const std::string& line);

  std::string path_;
  int fd_ = -1;
  std::map<Digest, Json> results_;
  double reference_ms_ = 0;
};

/// {metadata, results, schema_version} as text.
std::string landscape_text(const Json& metadata, const std::vector<Json>& results);

/// Writes that text, gzip-compressed, through a temporary file in the same folder.
Result<void> write_landscape(const std::string& path, const Json& metadata,
                             const std::vector<Json>& results);

}  // namespace ke
