#include "core/json.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace ke {
namespace {

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(Json, nested_too_deep_is_no_json_and_overflows_no_stack) {
  EXPECT_FALSE(parse_json(nested(512)).is_discarded());
  EXPECT_TRUE(parse_json(nested(513)).is_discarded());
  EXPECT_TRUE(parse_json(nested(1'000'000)).is_discarded());
  EXPECT_FALSE(parse_json("\"" + std::string(1000, '[') + "\\\"[\"").is_discarded());
}

}  // namespace
}  // namespace ke
