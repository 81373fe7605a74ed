#pragma once
// Progress display of a run: one redrawn line on a terminal, plain lines elsewhere.

#include <chrono>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "core/search/observer.hpp"
#include "core/search/plan.hpp"

namespace ke {

class Progress final : public SearchObserver {
 public:
  using Clock = std::chrono::steady_clock;
  /// Writes to `out`; `redraw` for a terminal. `label` names the run, `anchor` the baseline that
  /// stands in for the anchor ("" = none).
  Progress(std::ostream& out, bool redraw, std::string label, Limits limits,
           std::string anchor = "");
  /// Ends the redrawn line.
  ~Progress() override;

  void on_commit(const StepRecord& record, const SearchStatus& status) override;
  void on_phase(std::string_view phase) override;
  void on_verified(const VerifiedFigure& figure) override;

  const SearchStatus& status() const { return status_; }
  /// Evaluations per second in this session, without replayed steps.
  double rate() const;
  /// The current line.
  std::string line() const;

 private:
  /// One limit of the budget, and when it would end the run.
  struct Limit {
    std::string_view unit;
    std::int64_t done = 0;
    std::int64_t most = 0;
    double speed = 0;   ///< units a second in this session
    double left_s = 0;  ///< seconds left at `speed`; units left while there is no speed
  };
  /// The run's limits; the one that will end it comes first.
  std::vector<Limit> limits() const;
  double rate(std::int64_t done) const;
  void show(bool at_once);
  std::ostream& out_;
  bool redraw_;
  std::string label_;
  Limits limits_;
  std::string anchor_;
  SearchStatus status_;
  std::string phase_;
  std::map<std::string, VerifiedFigure> verified_;  ///< bench figures of the champion, by baseline
  std::int64_t replayed_evaluations_ = 0;
  std::int64_t replayed_proposals_ = 0;
  Clock::time_point start_ = Clock::now();
  Clock::time_point shown_ = Clock::now();
  std::size_t width_ = 0;
};

/// A duration for people: "1:05", "2:03:00".
std::string clock_text(std::int64_t seconds);

}  // namespace ke
