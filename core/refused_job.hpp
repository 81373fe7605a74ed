#pragma once
// The answer to a job that an evaluator did not take.

#include "core/evaluation.hpp"
#include "core/result.hpp"

namespace ke {

/// Says why the machine refused the job; it says nothing about the kernel.
inline Fact refused_job(const Digest& key, const Error& error) {
  Fact fact;
  fact.key = key;
  fact.reason = "machine";
  fact.message = error.message;
  return fact;
}

}  // namespace ke
