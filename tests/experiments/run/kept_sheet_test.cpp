// Device lines of letters are measured once and kept for all runs that share the file.

#include "experiments/run/kept_sheet.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "core/codec.hpp"

namespace ke {
namespace {

using testing::HasSubstr;

class KeptSheet : public testing::Test {
 protected:
  KeptSheet() { std::filesystem::remove(file_); }

  static DeviceSheet measured(double rate) {
    return {.text = "Memory rate: " + std::to_string(rate) + " GB/s, \"best\" of 8\nµ-architecture",
            .floors_ns = {{"rows=4 cols=1", 1.5 * rate}, {"rows=1 cols=0", 1e-9}},
            .time_unit = "cycles",
            .residency = {65536, 2048, 233472, 32}};
  }

  std::string kept(const std::string& key, double rate) const {
    const auto sheet = kept_sheet(file_, key, measured(rate));
    return sheet ? encode(*sheet) : sheet.error().message;
  }

  std::string file_ = testing::TempDir() + "kept_sheet.jsonl";
};

TEST_F(KeptSheet, is_the_first_that_was_measured_of_its_task_and_device) {
  EXPECT_EQ(kept("softmax cpu", 1.25), encode(measured(1.25)));
  EXPECT_EQ(kept("softmax cpu", 7), encode(measured(1.25)));
  EXPECT_EQ(kept("softmax gpu", 7), encode(measured(7)));
  EXPECT_EQ(kept("softmax cpu", 8), encode(measured(1.25)));
}

TEST_F(KeptSheet, is_one_for_all_that_measure_at_the_same_time) {
  std::vector<std::string> kept_by(8);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < kept_by.size(); ++i) {
      threads.emplace_back([&, i] { kept_by[i] = kept("softmax", static_cast<double>(i)); });
    }
  }
  EXPECT_THAT(kept_by, testing::Each(kept_by.front()));
}

TEST_F(KeptSheet, names_the_line_that_is_none) {
  ASSERT_TRUE(kept_sheet(file_, "softmax", measured(1)));
  std::ofstream(file_, std::ios::app) << R"({"key": "linear", "text": 3})"
                                      << "\n";
  EXPECT_THAT(kept("linear", 1), HasSubstr(file_ + ":2: no sheet of a device"));
  EXPECT_THAT(kept("softmax", 2), encode(measured(1)));
  std::ofstream(file_) << "half a l";
  EXPECT_THAT(kept("softmax", 1), HasSubstr(file_ + ":1: no sheet of a device"));
}

TEST_F(KeptSheet, needs_a_folder_that_it_may_write_into) {
  const auto sheet = kept_sheet("/proc/none/sheets.jsonl", "softmax", measured(1));
  ASSERT_FALSE(sheet);
  EXPECT_EQ(sheet.error().message, "/proc/none/sheets.jsonl: cannot be written");
}

}  // namespace
}  // namespace ke
