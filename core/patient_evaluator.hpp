#pragma once
// Retries measurements on a busy machine, and reports an error if measurements go on failing.

#include <functional>
#include <unordered_map>
#include <vector>

#include "core/evaluator.hpp"

namespace ke {

/// Repeats `unreliable` screens and duels after each of `pauses`, then passes the answer on. When
/// `most_in_a_row` jobs stay unreliable or are lost without a timed one between them, `health` is a
/// device error: continuing would waste the search's proposals. Verifications have their own
/// repeats and pass through.
class PatientEvaluator final : public Evaluator {
 public:
  using Clock = std::chrono::steady_clock;
  struct Rules {
    std::vector<std::chrono::milliseconds> pauses = {
        std::chrono::seconds(1), std::chrono::seconds(4), std::chrono::seconds(15)};
    int most_in_a_row = 5;
    std::function<Clock::time_point()> now = &Clock::now;
  };

  /// `inner` must outlive this object.
  PatientEvaluator(Evaluator& inner, Rules rules) : inner_(inner), rules_(std::move(rules)) {}

  const EvaluatorInfo& info() const override { return inner_.info(); }
  const EvaluatorInfo& device_info(std::size_t device) const override {
    return inner_.device_info(device);
  }
  Result<void> submit(const Job& job) override;
  std::vector<Fact> poll(std::chrono::milliseconds wait) override;
  void cancel(const Digest& key) override;
  Result<void> health() const override { return health_; }

 private:
  struct Open {
    Job job;
    std::size_t repeats = 0;
    Clock::time_point due = {};
    bool waiting = false;  ///< until `due`; otherwise at the evaluator
  };

  void repeat_due();
  std::chrono::milliseconds until_due(std::chrono::milliseconds wait) const;
  bool is_held(const Fact& fact);
  void count(const Fact& fact);
  std::string complaint(const Fact& fact) const;

  Evaluator& inner_;
  Rules rules_;
  std::unordered_map<Digest, Open> open_;
  int in_a_row_ = 0;
  Result<void> health_;
};

}  // namespace ke
