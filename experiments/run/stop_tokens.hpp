#pragma once
// External reasons to end a search: signals and the wall clock.

#include <chrono>

#include "core/search/dispatcher.hpp"

namespace ke {

/// During its lifetime, SIGINT, SIGTERM and SIGUSR1 request an orderly stop; a second signal exits
/// at once with code 130 or 143. Nothing is lost either way: facts and steps are durable when
/// written. Only one object may exist.
class StopSignals final : public StopToken {
 public:
  StopSignals();
  ~StopSignals() override;
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  bool stop_requested() const override;
  /// 130 after SIGINT, else 143.
  int exit_code() const;
  /// SIGUSR1: a scheduler says that its time limit is near.
  bool out_of_time() const;
};

/// Requests a stop after `limit`; zero = never.
class WallLimit final : public StopToken {
 public:
  explicit WallLimit(std::chrono::milliseconds limit)
      : limit_(limit), start_(std::chrono::steady_clock::now()) {}
  bool stop_requested() const override {
    return limit_.count() > 0 && std::chrono::steady_clock::now() - start_ >= limit_;
  }

 private:
  std::chrono::milliseconds limit_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace ke
