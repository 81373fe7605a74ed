// Tasks on their way to workers of other hosts.

#include "experiments/run/queue/task_files.hpp"

#include <gtest/gtest.h>

#include "experiments/run/evaluators/cpu.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ke {
namespace {

/// The task's content after a journey through files.
Digest content_of(const std::string& task) {
  auto loaded = load_task(task, ".");
  EXPECT_TRUE(loaded) << loaded.error().message;
  return (*loaded)->content_hash;
}

Subject subject_in(const std::string& folder) {
  Subject subject;
  subject.origin = folder;
  subject.task = *load_task(folder, ".");
  return subject;
}

TEST(TaskFiles, every_shipped_task_reads_the_same_on_another_host) {
  for (const std::string task : {"softmax", "conv2d", "conformance/axpb", "opencl/softmax"}) {
    const std::string folder = std::string(KE_SOURCE_DIR) + "/configs/tasks/" + task;
    const auto packed = pack_task(subject_in(folder), 2);
    ASSERT_TRUE(packed) << packed.error().message;
    const test::TemporaryFolder there;
    ASSERT_TRUE(unpack_files(packed->files, 2, there.text()));
    EXPECT_EQ(content_of(there.file(packed->origin)), content_of(folder)) << task;
  }
}

TEST(TaskFiles, a_task_that_extends_another_one_travels_with_it) {
  const test::TemporaryFolder here;
  std::filesystem::copy(std::string(KE_SOURCE_DIR) + "/configs/tasks/softmax", here / "softmax",
                        std::filesystem::copy_options::recursive);
  std::filesystem::create_directory(here / "mine");
  here.write("mine/task.yaml", "extends: ../softmax\nname: mine\n");
  const auto packed = pack_task(subject_in(here.file("mine")), 0);
  ASSERT_TRUE(packed) << packed.error().message;
  EXPECT_EQ(packed->origin, "mine");
  const test::TemporaryFolder there;
  ASSERT_TRUE(unpack_files(packed->files, 0, there.text()));
  EXPECT_EQ(content_of(there.file("mine")), content_of(here.file("mine")));
}

TEST(TaskFiles, a_function_needs_none) {
  const auto packed = pack_task(Subject(), 0);
  ASSERT_TRUE(packed);
  EXPECT_TRUE(packed->files.empty());
  EXPECT_EQ(packed->origin, "");
}

TEST(TaskFiles, a_path_that_leads_out_of_the_folder_is_refused) {
  const test::TemporaryFolder there;
  for (const std::string path : {"../evil", "/tmp/evil", "a/../../evil", ""}) {
    const auto unpacked = unpack_files({{0, path, "text"}}, 0, there.text());
    ASSERT_FALSE(unpacked) << path;
    EXPECT_NE(unpacked.error().message.find("outside of its folder"), std::string::npos);
  }
}

}  // namespace
}  // namespace ke
