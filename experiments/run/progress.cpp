#include "experiments/run/progress.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/text/opponent_name.hpp"

namespace ke {
namespace {

constexpr auto redraw_every = std::chrono::milliseconds(100);
constexpr auto print_every = std::chrono::seconds(10);

double seconds(Progress::Clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

std::int64_t sum(const std::map<std::string, std::int64_t>& counts) {
  std::int64_t total = 0;
  for (const auto& [name, count] : counts) total += count;
  return total;
}

}  // namespace

std::string clock_text(std::int64_t s) {
  if (s >= 3600) return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
  return fmt::format("{}:{:02}", s / 60, s % 60);
}

Progress::Progress(std::ostream& out, bool redraw, std::string label, Limits limits,
                   std::string anchor)
    : out_(out),
      redraw_(redraw),
      label_(std::move(label)),
      limits_(limits),
      anchor_(std::move(anchor)) {}

Progress::~Progress() {
  if (redraw_ && width_ > 0) out_ << "\n" << std::flush;
}

double Progress::rate() const { return rate(status_.evaluations - replayed_evaluations_); }

double Progress::rate(std::int64_t done) const {
  const double elapsed = seconds(Clock::now() - start_);
  return elapsed <= 0 ? 0 : static_cast<double>(done) / elapsed;
}

std::vector<Progress::Limit> Progress::limits() const {
  std::vector<Limit> limits;
  const auto add = [&](const char* unit, std::int64_t done, std::int64_t most, double speed) {
    if (most == 0) return;
    const auto left = static_cast<double>(std::max<std::int64_t>(0, most - done));
    // Before the first commits each is taken to go at one speed.
    limits.push_back({unit, done, most, speed, speed > 0 ? left / speed : left});
  };
  add("proposals", status_.proposals, limits_.proposals,
      rate(status_.proposals - replayed_proposals_));
  add("evaluations", status_.evaluations, limits_.evaluations, rate());
  std::ranges::stable_sort(limits, {}, &Limit::left_s);
  return limits;
}

std::string Progress::line() const {
  const auto ends = limits();
  const bool by_proposals = !ends.empty() && ends.front().unit == "proposals";
  const std::string proposals =
      by_proposals ? fmt::format("{}/{} proposals  ", ends.front().done, ends.front().most) : "";
  const std::string limit =
      !ends.empty() && !by_proposals ? fmt::format("/{}", ends.front().most) : "";
  const std::string eta = ends.empty() || ends.front().speed <= 0
                              ? "-"
                              : clock_text(static_cast<std::int64_t>(ends.front().left_s + 0.5));
  std::string verified = "-";
  auto shown = verified_.find("naive");
  if (shown == verified_.end()) shown = verified_.begin();
  if (shown != verified_.end()) {
    verified =
        fmt::format("{:.2f}x {}", shown->second.speedup, opponent_name(shown->first, anchor_));
  }
  return fmt::format(
      "{}  {}  {}{}{} evaluations  {:.1f}/s  best seen {:.3f}  verified {}  common "
      "archive: coverage {:.1f} %  qd {:.1f}  failures {}  eta {}",
      label_, phase_, proposals, status_.evaluations, limit, rate(), status_.best_objective,
      verified, 100 * status_.coverage, status_.qd_score, sum(status_.failures), eta);
}

void Progress::show(bool at_once) {
  const auto now = Clock::now();
  const bool due =
      now - shown_ >= (redraw_ ? Clock::duration(redraw_every) : Clock::duration(print_every));
  if (!at_once && !due) return;
  shown_ = now;
  const std::string text = line();
  if (redraw_) {
    const std::size_t blank = width_ > text.size() ? width_ - text.size() : 0;
    out_ << "\r" << text << std::string(blank, ' ') << std::flush;
  } else {
    out_ << text << "\n" << std::flush;
  }
  width_ = text.size();
}

void Progress::on_commit(const StepRecord&, const SearchStatus& status) {
  if (status.replayed) {
    replayed_evaluations_ = status.evaluations;
    replayed_proposals_ = status.proposals;
    start_ = Clock::now();
  }
  status_ = status;
  show(false);
}

void Progress::on_phase(std::string_view phase) {
  phase_ = phase;
  if (status_.steps > 0) show(true);
}

void Progress::on_verified(const VerifiedFigure& figure) {
  if (figure.role == "bench" && figure.note.empty()) verified_.emplace(figure.baseline, figure);
  show(redraw_);
}

}  // namespace ke
