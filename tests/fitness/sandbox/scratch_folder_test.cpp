#include "fitness/sandbox/scratch_folder.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace ke {
namespace {

namespace fs = std::filesystem;

class ScratchFolders : public testing::Test {
 protected:
  void SetUp() override {
    std::string path = testing::TempDir() + "scratch-XXXXXX";
    ASSERT_NE(mkdtemp(path.data()), nullptr);
    parent_ = path;
  }
  void TearDown() override { fs::remove_all(parent_); }

  std::ptrdiff_t entries() const {
    return std::distance(fs::directory_iterator(parent_), fs::directory_iterator());
  }

  std::string parent_;
};

TEST_F(ScratchFolders, goes_with_its_object) {
  {
    const auto folder = ScratchFolder::create(parent_);
    ASSERT_TRUE(folder) << folder.error().message;
    std::ofstream(folder->path() + "/file") << "x";
    EXPECT_EQ(entries(), 1);
  }
  EXPECT_EQ(entries(), 0);
}

TEST_F(ScratchFolders, of_two_that_live_none_is_removed) {
  const auto one = ScratchFolder::create(parent_);
  const auto two = ScratchFolder::create(parent_);
  ASSERT_TRUE(one && two);
  EXPECT_TRUE(fs::exists(one->path()));
  EXPECT_EQ(entries(), 2);
}

TEST_F(ScratchFolders, of_a_killed_process_is_removed_by_the_next) {
  const pid_t child = fork();
  if (child == 0) {
    const auto folder = ScratchFolder::create(parent_);
    if (folder) std::ofstream(folder->path() + "/file") << "x";
    raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  ASSERT_EQ(entries(), 1);
  const auto next = ScratchFolder::create(parent_);
  ASSERT_TRUE(next);
  EXPECT_EQ(entries(), 1);
  EXPECT_TRUE(fs::exists(next->path()));
}

TEST_F(ScratchFolders, others_files_stay) {
  std::ofstream(parent_ + "/kernelevolve-scratch-file") << "x";
  fs::create_directory_symlink("/", parent_ + "/kernelevolve-scratch-link");
  ASSERT_TRUE(ScratchFolder::create(parent_));
  EXPECT_EQ(entries(), 2);
}

TEST_F(ScratchFolders, say_where_they_cannot_be_made) {
  const auto folder = ScratchFolder::create(parent_ + "/missing");
  ASSERT_FALSE(folder);
  EXPECT_NE(folder.error().message.find("/missing"), std::string::npos);
}

}  // namespace
}  // namespace ke
