#pragma once
// What a kernel of a task must satisfy, as prompts tell it. Holds no holdout shape.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ke {

struct ContractTensor {
  std::string name;
  std::string dtype;                    ///< a name of dtype_table.hpp
  std::vector<std::string> shape = {};  ///< expressions over axes
  std::int64_t align = 0;               ///< bytes
  bool output = false;
  bool changes = true;                   ///< false: its values stay from call to call
  std::vector<std::string> values = {};  ///< classes of values that an input is given, in words
};

/// One public shape.
struct ContractShape {
  std::string label;               ///< "rows=512 cols=1024"
  std::string role;                ///< test, bench or validation
  std::int64_t tensor_bytes = 0;   ///< of all tensors
  std::int64_t traffic_bytes = 0;  ///< that must move at least; 0 = unknown
  std::int64_t flops = 0;          ///< of the usual algorithm; 0 = unknown
};

struct TaskContract {
  /// Of the kernels that prompts ask for: cpp, riscv, cuda, hip, opencl, triton, cute, flydsl.
  std::string language = "cpp";
  std::vector<ContractTensor> tensors;                          ///< in the order of the signature
  std::vector<std::string> axes;                                ///< arguments behind the tensors
  std::vector<std::pair<std::string, std::int64_t>> constants;  ///< axes of fixed length
  std::int64_t threads = 1;
  bool on_host = true;    ///< kernels run in threads of a processor
  bool prepares = false;  ///< a stage `prepare` may repack inputs that never change
  std::string nonfinite;  ///< propagate, row_nan or unspecified
  bool flushes = true;    ///< subnormal results may be zero
  double relative = 0, relative_l2 = 0, scale = 0;  ///< tolerance
  std::string row;                                  ///< elements of a row of the output
  std::vector<ContractShape> shapes;                ///< in the order of the task
};

}  // namespace ke
