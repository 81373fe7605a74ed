#pragma once
// Tests that compile kernels in the sandbox, with one compiler for all tests of a suite.

#include <gtest/gtest.h>

#include <utility>

#include "fitness/host/build/compiler.hpp"
#include "fitness/sandbox/level.hpp"

namespace ke::test {

class CompilerTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const auto report = probe_sandbox(KE_BINARY_DIR);
    ASSERT_TRUE(report);
    CompilerOptions options;
    options.tools_dir = KE_BINARY_DIR;
    options.level = report->level;
    auto made = Compiler::create(options);
    ASSERT_TRUE(made);
    compiler_ = new Compiler(*std::move(made));
  }
  static void TearDownTestSuite() { delete compiler_; }

  inline static Compiler* compiler_ = nullptr;
};

}  // namespace ke::test
