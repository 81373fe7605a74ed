#include "experiments/run/failure_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace ke {

std::string failure_text(const FailureReason& reason) {
  std::string text = reason.verdict;
  if (!reason.reason.empty()) text += ": " + reason.reason;
  text += reason.count == 1 ? ", once" : fmt::format(", {} times", reason.count);
  return reason.message.empty() ? text : text + ": " + reason.message;
}

std::vector<FailureReason> most_frequent(const std::vector<const RunCounters*>& runs,
                                         std::size_t most) {
  std::vector<FailureReason> all;
  for (const RunCounters* run : runs) {
    for (const FailureReason& reason : run->reasons) {
      const auto known = std::ranges::find_if(all, [&](const FailureReason& one) {
        return one.verdict == reason.verdict && one.reason == reason.reason;
      });
      if (known == all.end()) {
        all.push_back(reason);
      } else {
        known->count += reason.count;
      }
    }
  }
  std::ranges::stable_sort(all, std::greater<>(), &FailureReason::count);
  if (all.size() > most) all.resize(most);
  return all;
}

std::string reasons_text(const RunCounters& counters) {
  std::string text;
  for (const FailureReason& reason : most_frequent({&counters}, 5)) {
    text += (text.empty() ? "" : "; ") + failure_text(reason);
  }
  return text;
}

std::string nothing_judged_text(const RunCounters& counters) {
  return "nothing was judged: " +
         (counters.reasons.empty() ? "no proposal was made" : reasons_text(counters));
}

std::string unverified_reason(const std::vector<VerifiedFigure>& verified) {
  const auto measured = [](const VerifiedFigure& figure) { return figure.speedup > 0; };
  if (verified.empty() || std::ranges::any_of(verified, measured)) return "";
  return verified.front().note;
}

}  // namespace ke
