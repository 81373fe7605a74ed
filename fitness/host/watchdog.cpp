#include "fitness/host/watchdog.hpp"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>

#include "fitness/host/host.hpp"
#include "fitness/timing/clock.hpp"

namespace ke {
namespace {

constexpr std::chrono::milliseconds look_every{10};
// Longer than a busy machine delays a thread that nearly always sleeps.
constexpr std::int64_t standstill_ns = 250'000'000;

}  // namespace

Watchdog::Watchdog() : looked_ns_(now_ns()), thread_([this] { watch(); }) {}

Watchdog::~Watchdog() {
  ending_ = true;
  thread_.join();
}

void Watchdog::arm(int pidfd, std::int64_t deadline_ns) {
  fired_.store(false, std::memory_order_relaxed);
  pidfd_.store(pidfd, std::memory_order_relaxed);
  deadline_ns_.store(deadline_ns, std::memory_order_release);
}

bool Watchdog::disarm() {
  deadline_ns_.store(0, std::memory_order_release);
  const std::lock_guard lock(mutex_);
  return fired_.exchange(false);
}

bool Watchdog::stood_still(std::int64_t since_ns) const {
  return gap_end_ns_.load() >= since_ns || now_ns() - looked_ns_.load() > standstill_ns;
}

void Watchdog::watch() {
  prefer_thread();  // or a busy machine would look like a standstill
  while (!ending_) {
    std::this_thread::sleep_for(look_every);
    const std::lock_guard lock(mutex_);
    const std::int64_t now = now_ns();
    const std::int64_t gap = now - looked_ns_;
    looked_ns_ = now;
    if (gap > standstill_ns) {
      gap_end_ns_ = now;
      if (deadline_ns_.load(std::memory_order_acquire) != 0) deadline_ns_ += gap;
    }
    const std::int64_t deadline = deadline_ns_.load(std::memory_order_acquire);
    if (deadline == 0 || now < deadline) continue;
    fired_ = true;
    syscall(SYS_pidfd_send_signal, pidfd_.load(), SIGKILL, nullptr, 0);
    deadline_ns_.store(0);
  }
}

}  // namespace ke
