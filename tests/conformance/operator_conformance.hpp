#pragma once
// Conformance suite for every operator: it answers, is pure, and stays in the declared space.

#include <gtest/gtest.h>

#include <memory>

#include "operators/registry.hpp"
#include "tests/conformance/operator_samples.hpp"

namespace ke {

class OperatorConformance : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    Node options;
    if (GetParam() == "command") {
      options.set("program", test::scalar(KE_SOURCE_DIR "/tests/support/vary_randomly.py"));
    }
    op_ = make_operator(GetParam(), options);
    RandomStream random({9, 0, 0, 0, Purpose::test});
    for (int i = 0; i < op_->arity(); ++i) {
      parents_.push_back(
          {conformance_candidate(seed_, *seed_.space->sample(seed_.kernel, random), i),
           ParentRole::parent});
    }
  }
  static Digest encoded(const LlmRequest& request) {
    Encoder out;
    out(request);
    return out.digest();
  }
  Outcome run(std::uint64_t number) const {
    RandomStream random({number, 0, 1, 0, Purpose::vary});
    return op_->start(parents_, Context{{&seed_, 1}, "", {1, 0, 0}}, random);
  }

  Seed seed_ = conformance_seed();
  std::unique_ptr<Operator> op_;
  std::vector<Parent> parents_;
};

TEST_P(OperatorConformance, equal_arguments_give_equal_outcomes) {
  for (std::uint64_t i = 0; i < 50; ++i) {
    const Outcome a = run(i);
    const Outcome b = run(i);
    ASSERT_EQ(a.index(), b.index());
    if (const auto* made = std::get_if<HashedKernel>(&a)) {
      EXPECT_EQ(made->genome_hash, made->kernel.genome_hash());
      EXPECT_EQ(made->genome_hash, std::get<HashedKernel>(b).genome_hash);
    }
    if (const auto* request = std::get_if<Request>(&a)) {
      EXPECT_EQ(encoded(request->request), encoded(std::get<Request>(b).request));
    }
  }
}

TEST_P(OperatorConformance, children_lie_in_the_declared_space) {
  int kernels = 0;
  for (std::uint64_t i = 0; i < 200; ++i) {
    const Outcome outcome = run(i);
    if (const auto* made = std::get_if<HashedKernel>(&outcome)) {
      ++kernels;
      EXPECT_TRUE(seed_.space->admits(made->kernel));
    } else if (const auto* none = std::get_if<NoChild>(&outcome)) {
      EXPECT_FALSE(none->reason.empty());
    }
  }
  EXPECT_EQ(kernels == 0, op_->asks());  // asking operators get their kernels with the answers
}

TEST_P(OperatorConformance, a_source_without_declarations_is_answered_with_a_reason) {
  Seed bare;
  bare.kernel.source = "extern \"C\" void kernel();";
  bare.space = std::make_shared<const KernelSpace>();
  std::vector<Parent> parents;
  for (int i = 0; i < op_->arity(); ++i) {
    parents.push_back({conformance_candidate(bare, bare.kernel, i), ParentRole::parent});
  }
  RandomStream random({1, 0, 1, 0, Purpose::vary});
  const Outcome outcome = op_->start(parents, Context{{&bare, 1}, "", {1, 0, 0}}, random);
  if (const auto* none = std::get_if<NoChild>(&outcome)) {
    EXPECT_FALSE(none->reason.empty());
  } else if (!op_->asks()) {
    EXPECT_EQ(op_->arity(), 0) << "only the seed itself can come of it";
  }
}

}  // namespace ke
