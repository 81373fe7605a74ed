#include "experiments/study/statistics.hpp"

#include <gmock/gmock.h>

namespace ke::statistics {
namespace {

using ::testing::ElementsAre;

// numpy.percentile([...], [25, 50, 75]); its default uses the same interpolation.
TEST(Quartiles, are_those_of_numpy) {
  EXPECT_THAT(quartiles_of({4}), ElementsAre(4, 4, 4));
  EXPECT_THAT(quartiles_of({7, 1}), ElementsAre(2.5, 4, 5.5));
  EXPECT_THAT(quartiles_of({5, 1, 4, 2, 3}), ElementsAre(2, 3, 4));
  EXPECT_THAT(quartiles_of({9, 2, 2, 6}), ElementsAre(2, 4, 6.75));
}

}  // namespace
}  // namespace ke::statistics
