#include "fitness/function/function_evaluator.hpp"

#include <gtest/gtest.h>

#include "core/random_stream.hpp"
#include "core/search/job_maker.hpp"
#include "tests/conformance/evaluator_conformance.hpp"

namespace ke {
namespace {

Job function_job(int number) {
  const FunctionOptions options;
  const Seed seed = function_seed(options);
  RandomStream random({1, 0, number, 0, Purpose::test});
  const Kernel kernel = *seed.space->sample(seed.kernel, random);
  EvaluatorInfo info;
  info.toolchain = "function/1";
  return JobMaker(info, sha256("task")).screen(kernel, kernel.genome_hash(), 0);
}

std::unique_ptr<Evaluator> with_four_lanes() {
  FunctionOptions options;
  options.lanes = 4;
  options.delay_us = 2000;
  return make_function_evaluator(options);
}

INSTANTIATE_TEST_SUITE_P(
    Function, EvaluatorConformance,
    testing::Values(EvaluatorCase{"one_lane", [] { return make_function_evaluator({}); },
                                  function_job},
                    EvaluatorCase{"four_lanes", &with_four_lanes, function_job}),
    [](const auto& c) { return c.param.name; });

}  // namespace
}  // namespace ke
