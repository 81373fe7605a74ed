// The prompt example of each Python DSL compiles with the package itself.

#include <gtest/gtest.h>

#include "core/language.hpp"
#include "fitness/python/python_builder.hpp"
#include "tests/fitness/python/dsl_kernels.hpp"
#include "tests/support/real_python.hpp"

namespace ke::python {
namespace {

/// Maps x to y, with the axes that the examples name.
Task example_task() {
  Task task = sample::dsl_task();
  task.axes = {"n", "rows", "cols"};
  task.tensors[1].dtype = Dtype::float32;
  task.workloads = {{{{"n", 1000}, {"rows", 10}, {"cols", 100}}, Role::test, "n=1000"}};
  return task;
}

class DslExample : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(DslExample, compiles_without_a_gpu) {
  const auto& [name, arch] = GetParam();
  const auto compiler = real_compiler(name);
  if (!compiler) GTEST_SKIP() << why_no_package(name);
  const Kernel kernel = sample::dsl_kernel(find_language(name)->example, name);
  const auto built = build_python(example_task(), {}, arch, *compiler, kernel);
  ASSERT_TRUE(built) << built.error().message;
  EXPECT_EQ(built->verdict, Verdict::ok) << built->reason << ": " << built->message;
}

INSTANTIATE_TEST_SUITE_P(OfModels, DslExample,
                         testing::Values(std::pair("triton", "sm_90a"), std::pair("cute", "sm_90a"),
                                         std::pair("flydsl", "gfx942")));

}  // namespace
}  // namespace ke::python
