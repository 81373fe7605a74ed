#include "fitness/cpu/build_cache.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>

#include "tests/support/temporary_folder.hpp"

namespace ke {
namespace {

void write(const test::TemporaryFolder& folder, const std::string& name, std::size_t bytes,
           int hours_ago) {
  namespace fs = std::filesystem;
  folder.write(name, std::string(bytes, 'x'));
  fs::last_write_time(folder / name,
                      fs::file_time_type::clock::now() - std::chrono::hours(hours_ago));
}

TEST(BuildCache, keeps_what_was_used_last_within_the_bound) {
  const test::TemporaryFolder folder;
  write(folder, "a.build", 300, 3);
  write(folder, "b.build", 200, 1);
  write(folder, "c.build", 100, 2);
  write(folder, "notes", 5000, 9);
  EXPECT_EQ(build_cache_size(folder.text()).builds, 3);
  EXPECT_EQ(build_cache_size(folder.text()).bytes, 600);
  EXPECT_EQ(prune_builds(folder.text(), 600).builds, 0);
  const BuildCacheSize removed = prune_builds(folder.text(), 250);
  EXPECT_EQ(removed.builds, 2);
  EXPECT_EQ(removed.bytes, 400);
  EXPECT_TRUE(folder.has("b.build"));
  EXPECT_EQ(prune_builds(folder.text(), 0).builds, 1);
  EXPECT_TRUE(folder.has("notes"));
  EXPECT_EQ(prune_builds(folder.text() + "/missing", 0).builds, 0);
}

}  // namespace
}  // namespace ke
