#include "experiments/study/check/trivial_kernels.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "tests/support/temporary_folder.hpp"

namespace ke {
namespace {

TensorSpec tensor(const std::string& name, Dtype dtype, bool output) {
  TensorSpec made;
  made.name = name;
  made.dtype = dtype;
  made.shape = {*Expression::parse(output ? "n" : "2*n")};
  made.output = output;
  return made;
}

TEST(TrivialKernels, compile_over_every_type_that_kernels_in_cpp_take) {
  Task task;
  for (const bool output : {false, true}) {
    for (std::size_t i = 0; i < dtype_table.size(); ++i) {
      const auto dtype = static_cast<Dtype>(i);
      if (row_of(dtype).cpp.empty()) continue;
      task.tensors.push_back(tensor((output ? "to_" : "from_") + std::to_string(i), dtype, output));
    }
  }
  task.axis_arguments = {"n"};
  const auto kernels = trivial_kernels(task);
  EXPECT_EQ(kernels.size(), 5u);
  const test::TemporaryFolder folder;
  for (const auto& [name, source] : kernels) {
    const std::string file = folder.file(name + ".cpp");
    std::ofstream(file) << source;
    EXPECT_EQ(std::system(("g++ -std=c++17 -c -o /dev/null " + file).c_str()), 0) << source;
  }
}

}  // namespace
}  // namespace ke
