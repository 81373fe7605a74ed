#pragma once
// Words for why candidates of runs failed.

#include <cstddef>
#include <string>
#include <vector>

#include "archive/run_reader.hpp"

namespace ke {

/// One line on candidates that failed alike: "lost: opponent_failed, 12 times: the opponent failed:
/// RuntimeError".
std::string failure_text(const FailureReason& reason);

/// The `most` frequent reasons of several runs together, most frequent first.
std::vector<FailureReason> most_frequent(const std::vector<const RunCounters*>& runs,
                                         std::size_t most);

/// The most frequent reasons of a run in one line.
std::string reasons_text(const RunCounters& counters);

/// Says why a run judged nothing: "nothing was judged: no proposal was made", or the reasons.
std::string nothing_judged_text(const RunCounters& counters);

/// Why no comparison of a verification gave a figure; "" if one did, or none was asked for.
std::string unverified_reason(const std::vector<VerifiedFigure>& verified);

}  // namespace ke
