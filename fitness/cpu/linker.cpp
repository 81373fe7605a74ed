#include "fitness/cpu/linker.hpp"

#include "fitness/host/host.hpp"

namespace ke {
namespace {

constexpr std::size_t kept_libraries = 256;  // libraries of some 20 KB each

}  // namespace

Linker::Linker(const Compiler& compiler, std::vector<int> cores)
    : compiler_(compiler), thread_([this, cores = std::move(cores)] { serve(cores); }) {}

Linker::~Linker() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void Linker::serve(const std::vector<int>& cores) {
  bind_thread(cores);
  for (;;) {
    Task task;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return closing_ || !tasks_.empty(); });
      if (closing_) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    task();
  }
}

std::shared_future<Result<std::string>> Linker::begin(const BuiltPtr& built,
                                                      std::uint64_t padding) {
  const Key key{built->build_hash, padding};
  const std::lock_guard lock(mutex_);
  if (const auto found = links_.find(key); found != links_.end()) return found->second;
  Task task([this, built, padding]() -> Result<std::string> {
    KE_TRY(BuildOutput linked, compiler_.link(built->object, padding));
    if (!linked.ok()) return Error{Failure::io, "linking again failed: " + linked.reason};
    return std::move(linked.shared_object);
  });
  auto future = task.get_future().share();
  tasks_.push_back(std::move(task));
  links_.emplace(key, future);
  order_.push_back(key);
  if (order_.size() > kept_libraries) {
    links_.erase(order_.front());
    order_.pop_front();
  }
  wake_.notify_one();
  return future;
}

void Linker::ahead(const BuiltPtr& built, std::uint64_t padding) { begin(built, padding); }

Result<std::string> Linker::link(const BuiltPtr& built, std::uint64_t padding) {
  return begin(built, padding).get();
}

}  // namespace ke
