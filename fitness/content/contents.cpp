#include "fitness/content/contents.hpp"

#include <algorithm>
#include <utility>

#include "fitness/timing/clock.hpp"

namespace ke {
namespace {

constexpr std::int64_t quick_ns = 3'000'000;
constexpr std::size_t kept_contents = 4;
constexpr std::size_t timed_contents = 3;
constexpr std::size_t twin_count = 2;
constexpr std::int64_t draw_budget_ns = 8'000'000;  // per job, for new contents of one workload
// Unseen contents of one workload: memory, and time for the first of them and for more later.
constexpr std::size_t unseen_bytes = std::size_t{128} << 20;
constexpr std::int64_t unseen_first_ns = 2'000'000'000, unseen_more_ns = 50'000'000;

std::size_t edits_for(std::int64_t draw_ns) {
  return draw_ns <= quick_ns ? 4 : draw_ns <= 30 * quick_ns ? 2 : 1;
}

// Jobs between two draws: slow oracles are called less often.
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
  for (std::size_t i = 1; i < ContentPool::cases(task); ++i) contents.deck_.push_back(i);
  shuffle(contents.deck_, *contents.random_);
  return contents;
}

PoolOptions Contents::mixed_options(const Workload& workload) {
  PoolOptions options{.entries = kept_contents, .cases = {0, varied_case}};
  if (workload.role == Role::bench) options.entries = std::max(deck_.size() + 2, kept_contents);
  options.cases.insert(options.cases.end(), deck_.begin(), deck_.end());
  const auto dealt = std::min(kept_contents - 2, deck_.size());
  std::rotate(deck_.begin(), deck_.begin() + static_cast<std::ptrdiff_t>(dealt), deck_.end());
  return options;
}

// Timed rounds mix contents of both pools under one preparation, so the pools share the unchanging
// inputs. Test shapes are not timed and get new ones all the time.
PoolOptions Contents::options_for(const Workload& workload, const Entry& entry, bool plain) {
  PoolOptions options =
      plain ? PoolOptions{.entries = timed_contents, .cases = {0}, .twins = twin_count}
            : mixed_options(workload);
  const ContentPool* const first = entry.plain ? entry.plain.get() : entry.mixed.get();
  if (workload.role == Role::test) {
    options.unchanging_anew = true;
  } else if (first != nullptr) {
    options.unchanging = first->unchanging();
  }
  return options;
}

Result<ContentPool*> Contents::pool(const Workload& workload, bool plain) {
  Entry& entry = entries_[workload.label];
  auto& slot = plain ? entry.plain : entry.mixed;
  if (slot) return slot.get();
  const std::int64_t before = now_ns();
  KE_TRY(auto made, ContentPool::create(*task_, workload, *reference_, *random_,
                                        options_for(workload, entry, plain)));
  entry.draw_ns = (now_ns() - before) / static_cast<std::int64_t>(made.entries().size());
  slot = std::make_unique<ContentPool>(std::move(made));
  return slot.get();
}

Result<ContentPool*> Contents::mixed(const Workload& workload) { return pool(workload, false); }
Result<ContentPool*> Contents::plain(const Workload& workload) { return pool(workload, true); }

Result<ContentPool*> Contents::unseen(const Workload& workload, std::size_t wanted) {
  KE_TRY(const ContentPool* const known, plain(workload));
  Entry& entry = entries_[workload.label];
  const std::int64_t begin_ns = now_ns();
  const std::int64_t limit_ns = entry.unseen ? unseen_more_ns : unseen_first_ns;
  if (!entry.unseen) {
    PoolOptions options{.entries = 1, .cases = {0}};
    options.unchanging = known->unchanging();
    KE_TRY(auto made, ContentPool::create(*task_, workload, *reference_, *random_, options));
    entry.unseen = std::make_unique<ContentPool>(std::move(made));
  }
  ContentPool& pool = *entry.unseen;
  while (pool.entries().size() < wanted && pool.bytes() < unseen_bytes &&
         now_ns() - begin_ns < limit_ns) {
    pool.grow();
  }
  return &pool;
}

Result<ContentPool*> Contents::otherwise(const Workload& workload) {
  auto& slot = entries_[workload.label].otherwise;
  if (std::ranges::all_of(task_->tensors, &TensorSpec::changes)) return nullptr;
  if (!slot) {
    const PoolOptions options{
        .entries = 1, .cases = {varied_case}, .twins = 1, .unchanging_anew = true};
    KE_TRY(auto made, ContentPool::create(*task_, workload, *reference_, *random_, options));
    slot = std::make_unique<ContentPool>(std::move(made));
  }
  return slot.get();
}

Result<ContentPool> Contents::passing(const Workload& workload) {
  return ContentPool::of_one_case(*task_, workload, *reference_, *random_);
}

bool Contents::quick(const Workload& workload) const {
  const auto found = entries_.find(workload.label);
  return found != entries_.end() && found->second.draw_ns <= quick_ns;
}

Result<void> Contents::rotate(const Workload& workload) {
  KE_TRY(ContentPool* const pool, mixed(workload));
  Entry& entry = entries_[workload.label];
  const std::int64_t use = ++entry.uses;
  if (use % every(entry.draw_ns) == 0) pool->new_draw();
  if (entry.otherwise && use % every(2 * entry.draw_ns) == 0)
    entry.otherwise->renew_twins(varied_case);
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
