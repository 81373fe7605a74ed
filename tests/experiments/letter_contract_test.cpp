// Contracts of shipped tasks in letters, for each language.

#include <gmock/gmock.h>

#include <cctype>
#include <fstream>
#include <sstream>

#include "experiments/run/evaluators/cpu.hpp"
#include "experiments/run/places.hpp"
#include "fitness/task_contract.hpp"
#include "operators/llm/contract_section.hpp"

namespace ke {
namespace {

std::string golden_letter(const std::string& name) {
  std::ifstream file(KE_SOURCE_DIR "/tests/golden/letters/" + name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TaskContract contract_on(std::unique_ptr<EvaluatorKind> kind, const std::string& task) {
  ParamLog log;
  Params device(nullptr, "device", log);
  const auto subject = kind->subject(device, task, ".");
  EXPECT_TRUE(subject) << subject.error().message;
  return subject->contract;
}

/// A device with round figures: 1 GB/s for every shape.
DeviceSheet round_device(const TaskContract& contract) {
  DeviceSheet sheet;
  for (const ContractShape& shape : contract.shapes) {
    if (shape.role == "test") continue;
    sheet.floors_ns[shape.label] = static_cast<double>(shape.traffic_bytes);
  }
  return sheet;
}

void expect_letter(const TaskContract& contract, const std::string& golden) {
  EXPECT_EQ(contract_text(contract, nullptr), golden_letter(golden)) << golden;
}

TEST(LetterContract, is_that_of_each_language) {
  expect_letter(contract_on(make_cpu_kind(), "softmax"), "cpp_contract.txt");
  expect_letter(contract_on(make_cuda_kind(), "recsys/fm_interaction_32"), "cuda_contract.txt");
  expect_letter(contract_on(make_hip_kind(), "recsys/softmax"), "hip_contract.txt");
  expect_letter(contract_on(make_opencl_kind(), "opencl/embedding_bag"), "opencl_contract.txt");
  expect_letter(contract_on(make_python_kind(), "recsys/softmax"), "triton_contract.txt");
  expect_letter(contract_on(make_cross_kind(), "riscv/embedding_bag"), "riscv_contract.txt");
}

TEST(LetterContract, of_half_types_and_unchanging_inputs_says_so) {
  expect_letter(contract_on(make_cuda_kind(), "recsys/gemm_gelu_bf16"), "cuda_half_contract.txt");
  expect_letter(contract_on(make_cpu_kind(), "linear"), "cpp_prepare_contract.txt");
}

TEST(LetterContract, in_cute_dsl_has_its_pointers) {
  TaskContract contract = contract_on(make_cuda_kind(), "recsys/softmax");
  contract.language = "cute";
  expect_letter(contract, "cute_contract.txt");
}

/// True if the label occurs as a whole: "rows=3" does not occur in "rows=30".
bool names_shape(const std::string& text, const std::string& label) {
  for (std::size_t at = text.find(label); at != text.npos; at = text.find(label, at + 1)) {
    const char before = at == 0 ? ' ' : text[at - 1];
    const char after = at + label.size() < text.size() ? text[at + label.size()] : ' ';
    const bool starts = before == ' ' || before == '\n';
    if (starts && std::isalnum(static_cast<unsigned char>(after)) == 0 && after != ' ') return true;
  }
  return false;
}

TEST(LetterContract, names_every_public_shape_of_every_task_and_no_holdout_shape) {
  int tasks = 0;
  for (const std::string& name : known_tasks()) {
    const auto task = load_task(name, ".");
    ASSERT_TRUE(task) << task.error().message;
    const TaskContract contract = contract_of(**task);
    const DeviceSheet sheet = round_device(contract);
    const std::string text = contract_text(contract, &sheet);
    for (const Workload& workload : (*task)->workloads) {
      EXPECT_EQ(names_shape(text, workload.label), workload.role != Role::holdout)
          << name << " " << workload.label;
    }
    for (const ContractTensor& tensor : contract.tensors) {
      for (const std::string& words : tensor.values) EXPECT_NE(words, "") << name;
    }
    ++tasks;
  }
  EXPECT_GE(tasks, 30);
}

}  // namespace
}  // namespace ke
