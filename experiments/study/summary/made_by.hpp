#pragma once
// Which host, device and program made which runs: figures of different ones need not be comparable.
// Finds the best parent of a child, the base of its gain.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "archive/run_reader.hpp"
#include "archive/session.hpp"
#include "experiments/text/json.hpp"

namespace ke {

/// True for a kernel that passed every check and has a positive objective with an interval.
bool is_ok_kernel(const Candidate& candidate);

/// The ok parent with the highest objective; null if none is ok. Ignores inspirations and the
/// kernel that an operator repairs. A kernel from another device has none, because objectives of
/// two devices are not comparable.
Result<CandidatePtr> best_parent(const RunReader& reader, const Candidate& child);

struct Maker {
  std::string host;
  std::string hardware;  ///< processor of the host
  std::string device;    ///< classes of what the kernels ran on; "" where no evaluator was started
  std::string program;   ///< SHA-256 of the kernelevolve that ran
  std::int64_t runs = 0;
};

/// Makers of the run's sessions, each once.
Result<std::vector<Maker>> makers_of(const RunReader& reader);
/// Reads the makers of several run files; leaves out files that hold no run.
Result<std::vector<Maker>> makers_of(const std::vector<std::string>& files);

/// Adds the counts of `more`; a run with sessions on two hosts counts at both.
void add_makers(std::vector<Maker>& makers, const std::vector<Maker>& more);

/// A table, sorted by host.
std::string table_of(const std::vector<Maker>& makers);
/// Why runs may not be comparable; "" when one program made all.
std::string warning_of(const std::vector<Maker>& makers);
Json json_of(const std::vector<Maker>& makers);

/// Runs by the hash of a program that worked on them.
using RunsByProgram = std::map<std::string, std::size_t>;

void count_programs(const std::vector<SessionInfo>& sessions, RunsByProgram& runs);

/// A warning where there are several programs; "" = there is one.
std::string programs_warning(const RunsByProgram& runs);

}  // namespace ke
