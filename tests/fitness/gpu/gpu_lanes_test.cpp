// Runs on several GPUs: the parts that need no GPU.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <latch>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "core/hash.hpp"
#include "fitness/gpu/gpu_device.hpp"
#include "fitness/gpu/gpu_evaluator.hpp"
#include "fitness/job_queues.hpp"
#include "tests/support/options.hpp"

namespace ke::gpu {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

GpuInfo h200(int index) {
  GpuInfo gpu;
  gpu.index = index;
  gpu.terms.name = "NVIDIA H200";
  gpu.arch = "sm_90a";
  return gpu;
}

/// A driver with two H200s that answers the queries which describe them.
Driver driver_of_two() {
  Driver driver{};
  driver.device_count = [](int* count) { return *count = 2, Status{success}; };
  driver.driver_version = [](int* version) { return *version = 13000, Status{success}; };
  driver.device_get = [](Device* device, int index) { return *device = index, Status{success}; };
  driver.device_name = [](char* name, int, Device) {
    return std::strcpy(name, "NVIDIA H200"), Status{success};
  };
  driver.device_bus_id = [](char* id, int, Device device) {
    return std::strcpy(id, device == 0 ? "0000:06:00.0" : "0000:07:00.0"), Status{success};
  };
  driver.device_attribute = [](int* value, int, Device) { return *value = 9, Status{success}; };
  driver.device_memory = [](std::size_t* bytes, Device) {
    return *bytes = std::size_t{140} << 30, Status{success};
  };
  return driver;
}

TEST(GpuDevices, are_all_or_those_that_are_named) {
  const Driver driver = driver_of_two();
  const auto all = describe_gpus(driver, {});
  ASSERT_TRUE(all) << all.error().message;
  ASSERT_EQ(all->size(), 2u);
  EXPECT_EQ((*all)[0].index, 0);
  EXPECT_EQ((*all)[1].index, 1);
  EXPECT_EQ((*all)[1].bus_id, "0000:07:00.0");
  const auto second = describe_gpus(driver, {1});
  ASSERT_EQ(second->size(), 1u);
  EXPECT_EQ(second->front().index, 1);
  EXPECT_EQ(describe_gpus(driver, {0, 2}).error().message,
            "device.gpus names GPU 2, the driver sees those of [0, 1]");
}

TEST(GpuModels, of_one_run_are_equal) {
  const std::vector<GpuInfo> two = {h200(0), h200(1)};
  EXPECT_TRUE(require_one_model(two));
  std::vector<GpuInfo> mixed = {h200(0), h200(3)};
  mixed[1].terms.name = "NVIDIA H100 80GB HBM3";
  const auto checked = require_one_model(mixed);
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().message,
            "GPUs of one run are of one model, but GPU 0 is NVIDIA H200, sm_90a, 132 "
            "multiprocessors, 62914560 bytes of L2 and GPU 3 is NVIDIA H100 80GB HBM3, sm_90a, 132 "
            "multiprocessors, 62914560 bytes of L2; name others in device.gpus");
}

/// Parsed value of device.gpus, and the errors.
struct ReadGpus {
  std::vector<int> gpus;
  std::vector<std::string> errors;
};
ReadGpus read_gpus_of(const Node& value) {
  const Node document = ke::test::options({{"gpus", value}});
  ParamLog log;
  Params device(&document, "device", log);
  return {GpuOptions::read(device).gpus, log.errors};
}

TEST(GpuOption, is_a_list_or_all) {
  ParamLog log;
  Params nothing(nullptr, "device", log);
  EXPECT_THAT(GpuOptions::read(nothing).gpus, ElementsAre(0));
  EXPECT_THAT(read_gpus_of(ke::test::list({"1", "0"})).gpus, ElementsAre(1, 0));
  const ReadGpus all = read_gpus_of(ke::test::scalar("all"));
  EXPECT_THAT(all.gpus, IsEmpty());
  EXPECT_THAT(all.errors, IsEmpty());
}

TEST(GpuOption, refuses_what_is_no_list_of_gpus) {
  const auto error = [](const std::vector<std::string>& words) {
    return read_gpus_of(ke::test::list(words)).errors;
  };
  EXPECT_THAT(error({"64"}),
              ElementsAre(HasSubstr("names '64', which is neither a number of [0, 63] nor all")));
  EXPECT_THAT(error({"0", "all"}), ElementsAre(HasSubstr("names 'all'")));
  EXPECT_THAT(error({"2", "2"}), ElementsAre(HasSubstr("names GPU 2 twice")));
  EXPECT_THAT(error({}), ElementsAre(HasSubstr("names no GPU")));
}

// --- lanes ---

struct NoArms {};

Job job_number(int number) {
  Job job;
  job.key = sha256(std::to_string(number));
  job.kind = JobKind::screen;
  return job;
}

/// Facts of twelve jobs by key, and the lanes that judged them, with `count` fake GPUs.
struct Judged {
  std::map<Digest, std::string> facts;
  std::set<std::string> lanes;
};
Judged judged_on(int count) {
  constexpr int jobs = 12;
  JobQueues<NoArms> queues;
  for (int i = 0; i < jobs; ++i) {
    queues.submit(job_number(i));
    Fact fact;
    fact.key = job_number(i).key;
    queues.hand_over({job_number(i), {}, fact});
  }
  std::latch all_busy(count);  // each GPU waits until all have work
  std::vector<std::thread> lanes;
  for (int lane = 0; lane < count; ++lane) {
    lanes.emplace_back([&queues, &all_busy, lane, first = true]() mutable {
      serve_ready(queues, [&](const Job& job, const NoArms&, Fact& fact) -> Result<void> {
        if (std::exchange(first, false)) all_busy.arrive_and_wait();
        fact.verdict = Verdict::ok;
        fact.message = job.key.hex();
        fact.policy_flags = {"GPU " + std::to_string(lane)};
        return {};
      });
    });
  }
  Judged judged;
  while (judged.facts.size() < jobs) {
    for (const Fact& fact : queues.poll(std::chrono::milliseconds(100))) {
      EXPECT_TRUE(judged.facts.emplace(fact.key, fact.message).second) << "answered twice";
      judged.lanes.insert(fact.policy_flags.at(0));
    }
  }
  queues.close();
  for (std::thread& lane : lanes) lane.join();
  return judged;
}

TEST(GpuLanes, share_the_jobs_and_answer_each_once) {
  const Judged one = judged_on(1), three = judged_on(3);
  EXPECT_THAT(one.lanes, ElementsAre("GPU 0"));
  EXPECT_THAT(three.lanes, ElementsAre("GPU 0", "GPU 1", "GPU 2"));
  EXPECT_EQ(one.facts, three.facts);
}

}  // namespace
}  // namespace ke::gpu
