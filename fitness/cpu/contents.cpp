#include "fitness/cpu/contents.hpp"

#include <algorithm>
#include <utility>

#include "fitness/timing/clock.hpp"

namespace ke {
namespace {

constexpr std::int64_t quick_ns = 3'000'000;
constexpr std::size_t kept_contents = 3;
constexpr std::size_t twin_count = 2;
constexpr std::int64_t draw_budget_ns = 8'000'000;  // a job, spent on new contents of one workload

std::size_t edits_for(std::int64_t draw_ns) {
  return draw_ns <= quick_ns ? 4 : draw_ns <= 30 * quick_ns ? 2 : 1;
}

// Jobs between two draws: dear oracles are asked seldom.
std::int64_t every(std::int64_t draw_ns) {
  return std::clamp<std::int64_t>(draw_ns / draw_budget_ns, 3, 64);
}

}  // namespace

Result<Contents> Contents::create(const Task& task, const Reference& reference) {
  Contents contents;
  KE_TRY(auto random, SecretRandom::from_system());
  contents.random_ = std::make_unique<SecretRandom>(std::move(random));
  contents.task_ = &task;
  contents.reference_ = &reference;
  return contents;
}

Result<ContentPool*> Contents::pool(const Workload& workload, bool plain) {
  Entry& entry = entries_[workload.label];
  auto& slot = plain ? entry.plain : entry.mixed;
  if (slot) return slot.get();
  PoolOptions options{.entries = kept_contents, .cases = {}};
  if (plain) options = {.entries = kept_contents, .cases = {0}, .twins = twin_count};
  const std::int64_t before = now_ns();
  KE_TRY(auto made, ContentPool::create(*task_, workload, *reference_, *random_, options));
  entry.draw_ns =
      (now_ns() - before) / static_cast<std::int64_t>(kept_contents + (plain ? twin_count : 0));
  slot = std::make_unique<ContentPool>(std::move(made));
  return slot.get();
}

Result<ContentPool*> Contents::mixed(const Workload& workload) { return pool(workload, false); }
Result<ContentPool*> Contents::plain(const Workload& workload) { return pool(workload, true); }

bool Contents::quick(const Workload& workload) const {
  const auto found = entries_.find(workload.label);
  return found != entries_.end() && found->second.draw_ns <= quick_ns;
}

Result<void> Contents::rotate(const Workload& workload) {
  KE_TRY(ContentPool* const pool, mixed(workload));
  Entry& entry = entries_[workload.label];
  const std::int64_t use = ++entry.uses;
  if (use % every(entry.draw_ns) == 0) pool->new_draw(random_->below(ContentPool::cases(*task_)));
  if (entry.plain && use % every(2 * entry.draw_ns) == 0) entry.plain->renew_twins(0);
  return {};
}

Result<std::vector<FreshContent>> Contents::edits(const Workload& workload) {
  KE_TRY(ContentPool* const pool, mixed(workload));
  Entry& entry = entries_[workload.label];
  const auto edits = edits_for(entry.draw_ns);
  const std::int64_t cost_ns = entry.draw_ns * static_cast<std::int64_t>(2 * edits);
  if (entry.edit_uses++ % every(cost_ns) == 0) pool->renew_edits(edits);
  return pool->edit_chain();
}

}  // namespace ke
