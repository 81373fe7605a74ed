#include "experiments/run/config/task_document.hpp"

#include <gmock/gmock.h>

#include <filesystem>

#include "tests/support/temporary_folder.hpp"

namespace ke {
namespace {

using testing::HasSubstr;

class TaskDocuments : public testing::Test {
 protected:
  void write(const std::string& task, const std::string& text) {
    std::filesystem::create_directories(folder_.file(task));
    folder_.write(task + "/task.yaml", text);
  }
  Result<TaskDocument> read(const std::string& task) const {
    return read_task_document(folder_.file(task));
  }
  std::string complaint(const std::string& task) const {
    const auto document = read(task);
    return document ? "" : document.error().message;
  }
  std::string scalar(const TaskDocument& document, const char* key) const {
    const Node* node = document.node.find(key);
    return node == nullptr ? "" : node->scalar;
  }
  test::TemporaryFolder folder_;
};

TEST_F(TaskDocuments, a_task_that_extends_another_has_its_own_name_and_workloads_alone) {
  write("large", "name: large\nthreads: 3\nworkloads: [{n: 5, role: bench}]\n");
  write("small", "extends: ../large\nname: small\nworkloads: [{n: 1, role: bench}]\n");
  const auto small = read("small");
  ASSERT_TRUE(small) << small.error().message;
  EXPECT_EQ(scalar(*small, "name"), "small");
  EXPECT_EQ(scalar(*small, "threads"), "3");
  EXPECT_EQ(small->node.find("workloads")->items[0].find("n")->scalar, "1");
  EXPECT_EQ(small->node.find("extends"), nullptr);
  EXPECT_EQ(small->files, read("large")->files);
}

TEST_F(TaskDocuments, what_extends_badly_is_refused_with_its_place) {
  write("large", "name: large\nworkloads: []\n");
  write("small", "extends: ../large\nname: small\n");
  write("twice", "extends: ../small\n");
  write("more", "extends: ../large\nname: more\nthreads: 3\n");
  write("far", "extends: /large\n");
  write("none", "extends: ../missing\n");
  EXPECT_THAT(complaint("twice"), HasSubstr("twice/task.yaml:1:10: 'extends' = ../small names a "
                                            "task that extends another one"));
  EXPECT_THAT(complaint("more"),
              HasSubstr("more/task.yaml:3:1: 'extends' leaves a task schema, name, description, "
                        "workloads and ranges alone, not 'threads'"));
  EXPECT_THAT(complaint("far"), HasSubstr("must be the folder of another task"));
  EXPECT_THAT(complaint("none"), HasSubstr("missing/task.yaml"));
}

}  // namespace
}  // namespace ke
