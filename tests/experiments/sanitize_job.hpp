#pragma once
// The job that examines champions.

#include <gtest/gtest.h>

#include <chrono>

#include "core/codec.hpp"
#include "core/evaluator.hpp"

namespace ke::test {

/// Submits the job and waits for its fact.
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
