#pragma once
// Links builds again with other paddings, ahead of their use and in parallel to the lane.

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/result.hpp"
#include "fitness/cpu/builder.hpp"
#include "fitness/host/build/compiler.hpp"
#include "fitness/host/built.hpp"

namespace ke {

/// Thread-safe. Keeps the latest links, because an opponent meets many challengers.
class Linker final : public Libraries {
 public:
  /// Works on `cores`; empty = any core. The compiler is borrowed.
  Linker(const Compiler& compiler, std::vector<int> cores);
  ~Linker() override;

  /// Starts a link whose library will be needed soon.
  void ahead(const BuiltPtr& built, std::uint64_t padding) override;
  /// The shared object's bytes. Error: an object that linked before does not link again.
  Result<std::string> link(const BuiltPtr& built, std::uint64_t padding) override;

 private:
  using Key = std::pair<Digest, std::uint64_t>;
  using Task = std::packaged_task<Result<std::string>()>;

  std::shared_future<Result<std::string>> begin(const BuiltPtr& built, std::uint64_t padding);
  void serve(const std::vector<int>& cores);

  const Compiler& compiler_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool closing_ = false;
  std::deque<Task> tasks_;
  std::map<Key, std::shared_future<Result<std::string>>> links_;
  std::deque<Key> order_;
  std::thread thread_;
};

}  // namespace ke
