#pragma once
// Conformance suite for every FactLog. A fixture provides `FactLog& facts()` and `reopen()`.

#include <gtest/gtest.h>

#include "tests/conformance/samples.hpp"

namespace ke::test {

template <typename Fixture>
class FactLogSuite : public testing::Test {
 protected:
  FactLog& facts() { return fixture_.facts(); }
  Fixture fixture_;
};

TYPED_TEST_SUITE_P(FactLogSuite);

TYPED_TEST_P(FactLogSuite, gives_back_every_fact_bit_for_bit) {
  for (int n = 0; n < 26; ++n) {
    const auto result =
        this->facts().append(sample_job(n, static_cast<JobKind>(n % 4)), sample_fact(n));
    ASSERT_TRUE(result) << result.error().message;
  }
  this->fixture_.reopen();
  for (int n = 0; n < 26; ++n) {
    const auto found = this->facts().find(sample_fact(n).key);
    ASSERT_TRUE(found) << found.error().message;
    ASSERT_TRUE(found->has_value()) << n;
    EXPECT_EQ(encode(**found), encode(sample_fact(n))) << n;
  }
}

TYPED_TEST_P(FactLogSuite, gives_back_every_exchange_bit_for_bit) {
  ASSERT_TRUE(this->facts().append(sample_exchange(1)));
  ASSERT_TRUE(this->facts().append(sample_exchange(2)));
  this->fixture_.reopen();
  for (int n = 1; n <= 2; ++n) {
    const auto found = this->facts().find_exchange(sample_exchange(n).key);
    ASSERT_TRUE(found && found->has_value());
    EXPECT_EQ(encode(**found), encode(sample_exchange(n)));
  }
}

TYPED_TEST_P(FactLogSuite, knows_nothing_of_other_keys) {
  ASSERT_TRUE(this->facts().append(sample_job(1), sample_fact(1)));
  EXPECT_EQ(this->facts().find(digest("other"))->has_value(), false);
  EXPECT_EQ(this->facts().find_exchange(sample_fact(1).key)->has_value(), false);
}

TYPED_TEST_P(FactLogSuite, the_first_fact_of_a_key_stays) {
  ASSERT_TRUE(this->facts().append(sample_job(1), sample_fact(1)));
  Fact second = sample_fact(1);
  second.verdict = Verdict::lost;
  EXPECT_TRUE(this->facts().append(sample_job(1), second));
  EXPECT_EQ(encode(**this->facts().find(second.key)), encode(sample_fact(1)));
  Exchange exchange = sample_exchange(1);
  ASSERT_TRUE(this->facts().append(exchange));
  exchange.reply = "other";
  EXPECT_TRUE(this->facts().append(exchange));
  EXPECT_EQ((*this->facts().find_exchange(exchange.key))->reply, "");
}

// The expected value follows the definition: SHA-256 of "record/1" and the sorted pairs.
TYPED_TEST_P(FactLogSuite, the_record_hash_is_as_defined_and_knows_no_order_of_arrival) {
  ASSERT_TRUE(this->facts().append(sample_exchange(3)));
  for (int n : {4, 1, 3}) ASSERT_TRUE(this->facts().append(sample_job(n), sample_fact(n)));
  std::map<Digest, Digest> facts;
  for (int n : {1, 3, 4}) facts[sample_fact(n).key] = sha256(encode(sample_fact(n)));
  std::string bytes = encode(std::string("record/1"));
  bytes += encode(facts);
  bytes += encode(
      std::map<Digest, Digest>{{sample_exchange(3).key, sha256(encode(sample_exchange(3)))}});
  EXPECT_EQ(*this->facts().record_hash(), sha256(bytes));
}

TYPED_TEST_P(FactLogSuite, the_record_hash_covers_clock_values) {
  ASSERT_TRUE(this->facts().append(sample_job(2), sample_fact(2)));
  const Digest one = *this->facts().record_hash();
  TypeParam other;
  Fact slower = sample_fact(2);
  slower.comparison->workloads[0].clusters[0].samples_ns[0] += 1;
  ASSERT_TRUE(other.facts().append(sample_job(2), slower));
  EXPECT_NE(*other.facts().record_hash(), one);
}

REGISTER_TYPED_TEST_SUITE_P(FactLogSuite, gives_back_every_fact_bit_for_bit,
                            gives_back_every_exchange_bit_for_bit, knows_nothing_of_other_keys,
                            the_first_fact_of_a_key_stays,
                            the_record_hash_is_as_defined_and_knows_no_order_of_arrival,
                            the_record_hash_covers_clock_values);

}  // namespace ke::test
