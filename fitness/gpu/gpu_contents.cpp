#include "fitness/gpu/gpu_contents.hpp"

#include <algorithm>

namespace ke::gpu {
namespace {

constexpr std::int64_t small_elements = 1 << 18;
constexpr std::int64_t large_elements = 48 << 20;
constexpr std::int64_t large_on_device = std::int64_t{1} << 28;

PoolOptions options_for(std::int64_t elements, bool plain) {
  PoolOptions options{.entries = 3, .cases = {}, .unchanging_anew = true};
  if (plain) options = {.entries = 2, .cases = {0}, .twins = 1};
  if (plain && elements > small_elements) options.twins = 0;
  if (elements > large_elements) options.entries = 1;
  return options;
}

std::size_t entries_on_device(std::int64_t elements, bool plain) {
  return plain && elements <= large_on_device ? 2 : 1;
}

/// There is one content that is not plain, of a random class but the first.
PoolOptions options_on_device(const Task& task, std::int64_t elements, bool plain,
                              DeviceOracle& oracle, SecretRandom& random) {
  PoolOptions options{.entries = entries_on_device(elements, plain), .cases = {0}};
  if (!plain) {
    const std::size_t others = ContentPool::cases(task) - 1;
    const bool varies = others == 0 || random.below(2) == 0;
    options.cases = {varies ? varied_case : 1 + random.below(others)};
    options.unchanging_anew = true;
  }
  options.device = &oracle;
  return options;
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
    const bool is_large = shapes && !small(*shapes);
    if (workload.role == role && is_large && !on_device(*shapes)) slot(workload, true);
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

Result<ContentPool> GpuContents::draw(Drawn& drawn) const {
  KE_TRY(SecretRandom random, SecretRandom::from_system());
  drawn.random.emplace(std::move(random));
  KE_TRY(const Shapes shapes, resolve_shapes(task_, *drawn.workload));
  const std::int64_t size = elements(shapes);
  const bool there = drawn.on_device > 0;
  const PoolOptions options =
      there ? options_on_device(task_, size, drawn.plain, *device_.oracle, *drawn.random)
            : options_for(size, drawn.plain);
  auto pool = ContentPool::create(task_, *drawn.workload, reference_, *drawn.random, options);
  if (pool || !there) return pool;
  device_.oracle->give_up();
  if (on_device(shapes)) return pool;  // too large for the host
  drawn.on_device = 0;
  return draw(drawn);
}

bool GpuContents::on_device(const Shapes& shapes) const {
  return device_.oracle != nullptr && device_.oracle->wants(elements(shapes));
}

void GpuContents::make_room(std::int64_t bytes) {
  for (;;) {
    std::int64_t sum = bytes;
    auto oldest = drawn_.end();
    for (auto one = drawn_.begin(); one != drawn_.end(); ++one) {
      if (one->on_device == 0 || one->pool == nullptr) continue;
      sum += one->on_device;
      if (oldest == drawn_.end() || one->used < oldest->used) oldest = one;
    }
    if (sum <= device_.bytes || oldest == drawn_.end()) return;
    drawn_.erase(oldest);
  }
}

void GpuContents::finish(Drawn& drawn, std::unique_lock<std::mutex>& lock) {
  drawn.state = Drawn::State::drawing;
  lock.unlock();
  auto pool = draw(drawn);
  lock.lock();
  if (pool)
    drawn.pool = std::make_unique<ContentPool>(*std::move(pool));
  else
    drawn.error = pool.error();
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
  drawn.used = ++asked_;
  if (drawn.state == Drawn::State::waiting) {
    KE_TRY(const Shapes shapes, resolve_shapes(task_, workload));
    if (on_device(shapes)) {
      const std::size_t entries = entries_on_device(elements(shapes), plain);
      drawn.on_device = static_cast<std::int64_t>(entries) * DeviceContent::bytes_of(task_, shapes);
      make_room(drawn.on_device);
    }
    finish(drawn, lock);
  }
  done_.wait(lock, [&] { return drawn.state == Drawn::State::done; });
  if (drawn.error) return *drawn.error;
  return drawn.pool.get();
}

}  // namespace ke::gpu
