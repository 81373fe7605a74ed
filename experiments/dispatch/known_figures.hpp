#pragma once
// Figures that runs have measured already, so that a dispatcher need not measure it again.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "archive/run_reader.hpp"
#include "experiments/dispatch/measure.hpp"

namespace ke {

class KnownFigures {
 public:
  /// Reads the runs of the bench's kind of device whose task has this content hash.
  static Result<KnownFigures> read(const std::vector<std::unique_ptr<RunReader>>& runs,
                                   const Digest& task_hash, const MeasuringBench& bench);

  /// Verified speedup of a build over an opponent of the runs at a shape; nothing if unknown.
  std::optional<TimedFigure> verified(const Digest& build, const std::string& opponent,
                                      const std::string& shape) const;
  /// Speedup over the runs' anchor as the search measured it; nothing if unknown.
  std::optional<TimedFigure> screened(const Digest& build, const std::string& shape) const;

 private:
  using Key = std::pair<Digest, std::string>;  ///< build and opponent
  using Figures = std::map<Key, std::map<std::string, TimedFigure>>;

  Result<void> add_run(const RunReader& run);
  static void add(const Fact& fact, const std::string& opponent, Figures& to);
  static std::optional<TimedFigure> find(const Figures& figures, const Key& key,
                                         const std::string& shape);

  Figures verified_;
  Figures screened_;
};

}  // namespace ke
