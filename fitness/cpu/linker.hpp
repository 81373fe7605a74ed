#pragma once
// Links builds again with other paddings, ahead of their use and beside the lane.

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
#include "fitness/host/libraries.hpp"

namespace ke {

/// Thread-safe. Keeps the last links, as opponents meet many challengers.
class Linker final : public Libraries {
 public:
  /// Works on `cores`; empty = wherever it may. The compiler is borrowed.
  Linker(const Compiler& compiler, std::vector<int> cores);
  ~Linker() override;

  /// Begins a link whose library will be wanted soon.
  void ahead(const BuiltPtr& built, std::uint64_t padding) override;
  /// The shared object's bytes. Error: what linked once does not link again.
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
