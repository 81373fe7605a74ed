#include "core/codec.hpp"

#include <gtest/gtest.h>

#include "core/evaluation.hpp"
#include "core/job.hpp"

namespace ke {
namespace {

Fact sample_fact() {
  Fact fact;
  fact.key = sha256("key");
  fact.verdict = Verdict::wrong_result;
  fact.reason = "tail";
  fact.measures = {{"vector_width", 256}, {"intensity", 0.125}};
  fact.diagnostics = {{"kernel.cpp", 9, 2, "error", "expected ';'"}};
  Comparison comparison;
  comparison.speedup = 1.5;
  comparison.workloads = {
      {"rows=1", "bench", 1.5, {1.4, 1.6}, 10, 15, 3, {{64, "ABBA", {1, 2, 3, 4}, {1, 2, 3, 4}}}}};
  fact.comparison = comparison;
  fact.cost = {1, 2, 3};
  return fact;
}

// Digest of "abc" from FIPS 180-4.
TEST(Hash, is_sha256) {
  EXPECT_EQ(sha256("abc").hex(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(parse_digest(sha256("abc").hex()), sha256("abc"));
  EXPECT_FALSE(parse_digest("xyz"));
}

TEST(Codec, a_fact_survives_the_round_trip) {
  const std::string bytes = encode(sample_fact());
  const auto back = decode<Fact>(bytes);
  ASSERT_TRUE(back);
  EXPECT_EQ(encode(*back), bytes);
  EXPECT_EQ(back->comparison->workloads[0].clusters[0].order, "ABBA");
}

TEST(Codec, every_truncation_is_an_error_and_never_a_crash) {
  const std::string bytes = encode(sample_fact());
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    ASSERT_FALSE(decode<Fact>(std::string_view(bytes).substr(0, length))) << length;
  }
  EXPECT_FALSE(decode<Fact>(bytes + "x"));
}

TEST(Codec, a_damaged_length_does_not_ask_for_memory) {
  std::string bytes = encode(std::vector<std::string>{"a"});
  bytes[6] = '\x7f';
  EXPECT_FALSE(decode<std::vector<std::string>>(bytes));
}

TEST(Codec, what_was_not_encoded_does_not_decode) {
  const std::string nine = encode(std::uint64_t{9});
  EXPECT_FALSE(decode<bool>(nine));
  EXPECT_FALSE(decode<Decision>(nine));
  EXPECT_FALSE(decode<std::optional<std::int64_t>>(nine + nine));
  EXPECT_FALSE(decode<std::int32_t>(encode(std::int64_t{1} << 40)));
  EXPECT_EQ(*decode<std::int32_t>(encode(std::int32_t{-9})), -9);
  using Map = std::map<std::string, std::int64_t>;
  const std::string one = encode(Map{{"a", 1}}).substr(8), two = encode(Map{{"b", 2}}).substr(8);
  const std::string count = encode(std::uint64_t{2});
  EXPECT_TRUE(decode<Map>(count + one + two));
  EXPECT_FALSE(decode<Map>(count + two + one)) << "out of order";
  EXPECT_FALSE(decode<Map>(count + one + one)) << "twice";
}

TEST(Codec, neighbouring_fields_cannot_run_together) {
  Encoder one;
  one("ab")("c");
  Encoder two;
  two("a")("bc");
  EXPECT_NE(one.digest(), two.digest());
}

TEST(Kernel, identity_ignores_the_file_name_and_flags_left_out) {
  Kernel a;
  a.source = "x";
  a.flags = {"", "-O3"};
  Kernel b = a;
  b.name = "other.cpp";
  b.flags = {"-O3"};
  EXPECT_EQ(a.genome_hash(), b.genome_hash());
  b.knobs["W"] = "8";
  EXPECT_NE(a.genome_hash(), b.genome_hash());
}

}  // namespace
}  // namespace ke
