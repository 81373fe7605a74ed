#include "fitness/content/reference.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "tests/fitness/content/sample_tasks.hpp"

namespace ke {
namespace {

Result<std::string> compile(const std::string& source) {
  static int count = 0;
  const std::string base = testing::TempDir() + "ke_reference_" + std::to_string(count++);
  std::ofstream(base + ".cpp") << source;
  const std::string command = "g++ -O1 -shared -fPIC -o " + base + ".so " + base + ".cpp";
  if (std::system(command.c_str()) != 0) return Error{Failure::io, "does not compile"};
  return base + ".so";
}

TEST(reference, passes_eight_tensors_and_eight_axes_in_order) {
  Task task;
  task.reference_source = R"(
#include <cstddef>
#include <cstdint>
extern "C" void reference(const double* a, const std::int32_t* b, const double* c, const double* d,
    const double* e, const double* f, double* g, std::int32_t* h, std::size_t i, std::size_t j,
    std::size_t k, std::size_t l, std::size_t m, std::size_t n, std::size_t o, std::size_t p) {
  g[0] = a[0] + 10 * b[0] + 100 * c[0] + 1e3 * d[0] + 1e4 * e[0] + 1e5 * f[0];
  g[1] = i + 10.0 * j + 100.0 * k + 1e3 * l + 1e4 * m + 1e5 * n + 1e6 * o + 1e7 * p;
  h[0] = 7;
})";
  auto reference = Reference::build(task, compile);
  ASSERT_TRUE(reference) << reference.error().message;
  double a = 1, c = 3, d = 4, e = 5, f = 6, g[2] = {};
  std::int32_t b = 2, h = 0;
  void* const tensors[] = {&a, &b, &c, &d, &e, &f, g, &h};
  const std::int64_t axes[] = {1, 2, 3, 4, 5, 6, 7, 8};
  (*reference)(tensors, axes);
  EXPECT_EQ(g[0], 654321);
  EXPECT_EQ(g[1], 87654321);
  EXPECT_EQ(h, 7);
}

TEST(reference, errors_are_told) {
  EXPECT_NE(Reference::load("/nowhere/reference.so").error().message.find("/nowhere/reference.so"),
            std::string::npos);
  Task task;
  task.reference_source = "extern \"C\" void other() {}";
  EXPECT_NE(Reference::build(task, compile).error().message.find("exports no function `reference`"),
            std::string::npos);
  task.reference_source = "no C++";
  EXPECT_EQ(Reference::build(task,
                             [](const std::string&) -> Result<std::string> {
                               return Error{Failure::io, "does not compile"};
                             })
                .error()
                .message,
            "does not compile");
}

}  // namespace
}  // namespace ke
