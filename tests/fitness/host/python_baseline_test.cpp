#include "fitness/host/python_baseline.hpp"

#include <gmock/gmock.h>

#include "tests/fitness/content/sample_tasks.hpp"

namespace ke {
namespace {

using testing::ElementsAre;

Task of_pytorch() {
  Task task = sample::task(sample::matvec_text());
  task.reference_file = "reference.py";
  task.reference_source = "import torch\n";
  return task;
}

TEST(PythonBaselines, are_those_that_this_python_and_this_device_have) {
  PythonHome python;
  EXPECT_THAT(python_baselines(of_pytorch(), python), ElementsAre("pytorch_eager"));
  python.compiles = true;
  EXPECT_THAT(python_baselines(of_pytorch(), python),
              ElementsAre("pytorch_eager", "pytorch_compiled"));
  python.tf32 = true;
  EXPECT_THAT(python_baselines(of_pytorch(), python),
              ElementsAre("pytorch_eager", "pytorch_compiled", "pytorch_eager_tf32",
                          "pytorch_compiled_tf32"));
}

TEST(PythonBaselines, of_types_that_tf32_does_not_shorten_have_no_such_form) {
  Task task = of_pytorch();
  for (TensorSpec& tensor : task.tensors) tensor.dtype = Dtype::float16;
  PythonHome python;
  python.tf32 = true;
  EXPECT_THAT(python_baselines(task, python), ElementsAre("pytorch_eager"));
}

TEST(PythonBaselines, of_a_task_in_tf32_have_one_accuracy) {
  Task task = of_pytorch();
  task.tf32 = true;
  PythonHome python;
  python.compiles = python.tf32 = true;
  EXPECT_THAT(python_baselines(task, python), ElementsAre("pytorch_eager", "pytorch_compiled"));
}

TEST(PythonBaselines, say_their_form) {
  EXPECT_EQ(compile_mode("pytorch_eager_tf32"), "");
  EXPECT_EQ(compile_mode("pytorch_compiled_tf32"), "default");
  EXPECT_TRUE(uses_tf32("pytorch_compiled_tf32"));
  EXPECT_FALSE(uses_tf32("pytorch_compiled"));
  EXPECT_FALSE(is_python_baseline("onednn"));
}

}  // namespace
}  // namespace ke
