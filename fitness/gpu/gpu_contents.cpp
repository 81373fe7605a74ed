#include "fitness/gpu/gpu_contents.hpp"

#include <algorithm>

namespace ke::gpu {
namespace {

constexpr std::int64_t small_elements = 1 << 18;
constexpr std::int64_t large_elements = 48 << 20;

PoolOptions options_for(std::int64_t elements, bool plain) {
  PoolOptions options{.entries = 3, .cases = {}, .unchanging_anew = true};
  if (plain) options = {.entries = 2, .cases = {0}, .twins = 1};
  if (plain && elements > small_elements) options.twins = 0;
  if (elements > large_elements) options.entries = 1;
  return options;
}

Result<std::unique_ptr<ContentPool>> made(const Task& task, const Workload& workload,
                                          const Reference& reference, SecretRandom& random,
                                          bool plain) {
  KE_TRY(const Shapes shapes, resolve_shapes(task, workload));
  const PoolOptions options = options_for(GpuContents::elements(shapes), plain);
  KE_TRY(auto pool, ContentPool::create(task, workload, reference, random, options));
  return std::make_unique<ContentPool>(std::move(pool));
}

}  // namespace

GpuContents::~GpuContents() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  for (std::thread& thread : threads_) thread.join();
}

std::int64_t GpuContents::elements(const Shapes& shapes) {
  std::int64_t sum = 0;
  for (const TensorShape& tensor : shapes.tensors) sum += tensor.elements;
  return sum;
}

bool GpuContents::small(const Shapes& shapes) { return elements(shapes) <= small_elements; }

void GpuContents::add_large(Role role) {
  for (const Workload& workload : task_.workloads) {
    const auto shapes = resolve_shapes(task_, workload);
    if (workload.role == role && shapes && !small(*shapes)) slot(workload, true);
  }
}

void GpuContents::draw_ahead(unsigned threads) {
  const std::lock_guard lock(mutex_);
  for (const Role role : {Role::bench, Role::test, Role::validation, Role::holdout}) {
    add_large(role);
  }
  for (unsigned i = 0; i < threads; ++i) threads_.emplace_back([this] { draw_waiting(); });
}

GpuContents::Drawn& GpuContents::slot(const Workload& workload, bool plain) {
  const auto known = std::ranges::find_if(drawn_, [&](const Drawn& one) {
    return one.workload->label == workload.label && one.plain == plain;
  });
  if (known != drawn_.end()) return *known;
  return drawn_.emplace_back(&workload, plain);
}

void GpuContents::draw(Drawn& drawn) const {
  auto random = SecretRandom::from_system();
  if (!random) {
    drawn.error = random.error();
    return;
  }
  drawn.random.emplace(*std::move(random));
  auto pool = made(task_, *drawn.workload, reference_, *drawn.random, drawn.plain);
  if (pool)
    drawn.pool = *std::move(pool);
  else
    drawn.error = pool.error();
}

void GpuContents::finish(Drawn& drawn, std::unique_lock<std::mutex>& lock) {
  drawn.state = Drawn::State::drawing;
  lock.unlock();
  draw(drawn);
  lock.lock();
  drawn.state = Drawn::State::done;
  done_.notify_all();
}

void GpuContents::draw_waiting() {
  std::unique_lock lock(mutex_);
  while (!closing_) {
    const auto next = std::ranges::find(drawn_, Drawn::State::waiting, &Drawn::state);
    if (next == drawn_.end()) return;
    finish(*next, lock);
  }
}

Result<ContentPool> GpuContents::passing(const Workload& workload) const {
  return ContentPool::of_one_case(task_, workload, reference_, random_);
}

Result<ContentPool> GpuContents::passing_all(const Workload& workload) const {
  return ContentPool::create(task_, workload, reference_, random_,
                             {.entries = 1, .cases = {}, .unchanging_anew = true});
}

Result<ContentPool*> GpuContents::pool(const Workload& workload, bool plain) {
  std::unique_lock lock(mutex_);
  Drawn& drawn = slot(workload, plain);
  if (drawn.state == Drawn::State::waiting) finish(drawn, lock);
  done_.wait(lock, [&] { return drawn.state == Drawn::State::done; });
  if (drawn.error) return *drawn.error;
  return drawn.pool.get();
}

}  // namespace ke::gpu
