#include "experiments/run/queue/lease_keeper.hpp"

namespace ke {

LeaseKeeper::LeaseKeeper(std::unique_ptr<WorkBoard> board, OpenWork work, std::int64_t worker)
    : board_(std::move(board)),
      work_(std::move(work)),
      worker_(worker),
      queue_(board_->queue(work_, worker)),
      thread_([this] { keep(); }) {}

LeaseKeeper::~LeaseKeeper() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void LeaseKeeper::add(std::int64_t lease) {
  const std::lock_guard lock(mutex_);
  leases_.insert(lease);
}

void LeaseKeeper::remove(std::int64_t lease) {
  const std::lock_guard lock(mutex_);
  leases_.erase(lease);
}

std::int64_t LeaseKeeper::workers() const {
  const std::lock_guard lock(mutex_);
  return workers_;
}

void LeaseKeeper::keep() {
  speak_up();
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, work_.rules.time / 3, [this] { return stop_; })) {
    lock.unlock();
    speak_up();
    lock.lock();
  }
}

// A lease that is lost stays: the job's fact is refused when it is handed in, or taken after all
// where nobody else began.
void LeaseKeeper::speak_up() {
  std::set<std::int64_t> leases;
  {
    const std::lock_guard lock(mutex_);
    leases = leases_;
  }
  for (const std::int64_t lease : leases) {
    static_cast<void>(queue_->heartbeat(lease, board_->now(), work_.rules.time));
  }
  const auto workers = board_->seen(work_, worker_);
  const std::lock_guard lock(mutex_);
  if (workers) workers_ = *workers;
}

}  // namespace ke
