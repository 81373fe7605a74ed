#include <gtest/gtest.h>

#include <filesystem>

#include "experiments/run/evaluators/landscape.hpp"
#include "fitness/landscape/landscape.hpp"

namespace ke {
namespace {

TEST(ShippedLandscapes, go_by_their_names_and_hold_distinct_measured_points) {
  const std::filesystem::path folder = KE_SOURCE_DIR "/configs/landscapes";
  int found = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string file = entry.path().filename().string();
    const std::string ending = ".json.gz";
    if (!file.ends_with(ending)) continue;
    ++found;
    const auto path = find_landscape(file.substr(0, file.size() - ending.size()), "");
    ASSERT_TRUE(path) << path.error().message;
    EXPECT_EQ(std::filesystem::path(*path).filename(), file);
    const auto landscape = read_landscape(*path);  // refuses duplicate points
    ASSERT_TRUE(landscape) << landscape.error().message;
    EXPECT_GE((*landscape)->points().size(), 1000u) << file;
    EXPECT_GT((*landscape)->best_time(), 0) << file;
  }
  EXPECT_GE(found, 1);
}

}  // namespace
}  // namespace ke
