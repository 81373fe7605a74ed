#include "fitness/host/lane_lock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <thread>

namespace ke {
namespace {

using std::chrono::milliseconds;

// Cores that no machine has, so that judges on this one do not interfere.
constexpr int core = 4095, other_core = 4094;

class LaneLockTest : public testing::Test {
 protected:
  /// Takes a lock in a second thread; true if it got it within `wait`.
  template <class Which>
  bool gets(const Which& which, milliseconds wait,
            const std::function<void()>& meanwhile = nullptr) {
    std::atomic<bool> got = false;
    std::jthread thread([&] {
      const LaneLock lock(which, closing_, [this](const std::string& line) { told_ = line; });
      got = true;
    });
    std::this_thread::sleep_for(wait);
    const bool in_time = got;
    if (meanwhile) meanwhile();
    thread.join();
    return in_time;
  }

  std::atomic<bool> closing_ = false;
  std::string told_;
};

TEST_F(LaneLockTest, waits_for_the_one_that_holds_the_processor) {
  auto held = std::make_unique<LaneLock>(core, closing_, nullptr);
  EXPECT_FALSE(gets(core, milliseconds(200), [&] { held.reset(); }));
  EXPECT_TRUE(gets(core, milliseconds(500)));
}

TEST_F(LaneLockTest, other_processors_are_free) {
  const LaneLock held(core, closing_, nullptr);
  EXPECT_TRUE(gets(other_core, milliseconds(500)));
}

TEST_F(LaneLockTest, the_whole_machine_waits_for_every_processor) {
  auto held = std::make_unique<LaneLock>(core, closing_, nullptr);
  EXPECT_FALSE(gets(-1, milliseconds(200), [&] { held.reset(); }));
}

TEST_F(LaneLockTest, a_gpu_is_held_by_one_and_holds_up_nobody_else) {
  const std::string gpu = "ffff:ff:1e.0", other_gpu = "ffff:ff:1f.0";  // that no machine has
  auto held = std::make_unique<LaneLock>(gpu, closing_, nullptr);
  EXPECT_TRUE(gets(other_gpu, milliseconds(500)));
  EXPECT_TRUE(gets(core, milliseconds(500)));
  EXPECT_FALSE(gets(gpu, milliseconds(200), [&] { held.reset(); }));
  EXPECT_TRUE(gets(gpu, milliseconds(500)));
}

TEST_F(LaneLockTest, one_that_closes_does_not_wait) {
  const LaneLock held(core, closing_, nullptr);
  EXPECT_FALSE(gets(core, milliseconds(100), [this] { closing_ = true; }));
}

TEST_F(LaneLockTest, the_holder_is_named_after_a_while) {
  auto held = std::make_unique<LaneLock>(core, closing_, nullptr);
  EXPECT_FALSE(gets(core, milliseconds(2500), [&] { held.reset(); }));
  EXPECT_THAT(told_, testing::HasSubstr("held by "));
  EXPECT_THAT(told_, testing::EndsWith("process " + std::to_string(getpid())));
}

}  // namespace
}  // namespace ke
