#include "experiments/run/failure_text.hpp"

#include <gtest/gtest.h>

namespace ke {
namespace {

VerifiedFigure figure(double speedup, const std::string& note) {
  VerifiedFigure one;
  one.speedup = speedup;
  one.note = note;
  return one;
}

TEST(UnverifiedReason, is_that_of_a_verification_without_any_figure) {
  EXPECT_EQ(unverified_reason({}), "");
  EXPECT_EQ(unverified_reason({figure(1.5, "")}), "");
  EXPECT_EQ(unverified_reason({figure(0, "unreliable contended"), figure(1.5, "not resolved")}),
            "");
  EXPECT_EQ(unverified_reason({figure(0, "unreliable contended"), figure(0, "lost")}),
            "unreliable contended");
}

}  // namespace
}  // namespace ke
