#pragma once
// The job that champions are examined with.

#include <gtest/gtest.h>

#include <chrono>

#include "core/codec.hpp"
#include "core/evaluator.hpp"

namespace ke::test {

/// Waits for its fact.
inline Fact examined(Evaluator& evaluator, const Kernel& kernel) {
  Job job;
  job.kind = JobKind::sanitize;
  job.kernel = kernel;
  Encoder all;
  all(job);
  job.key = all.digest();
  EXPECT_TRUE(evaluator.submit(job));
  for (;;) {
    for (Fact& fact : evaluator.poll(std::chrono::milliseconds(1000))) return std::move(fact);
  }
}

}  // namespace ke::test
