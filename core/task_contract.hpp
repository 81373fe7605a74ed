#pragma once
// The requirements on a kernel of a task, as shown in prompts. Holds no holdout shape.

#include <cstdint>
#include <limits>
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
  bool changes = true;                   ///< false: its values are the same in every call
  std::vector<std::string> values = {};  ///< classes of input values, in words
};

/// One public shape.
struct ContractShape {
  std::string label;               ///< "rows=512 cols=1024"
  std::string role;                ///< test, bench or validation
  std::int64_t tensor_bytes = 0;   ///< total size of all tensors
  std::int64_t traffic_bytes = 0;  ///< minimum memory traffic; 0 = unknown
  std::int64_t flops = 0;          ///< count for the usual algorithm; 0 = unknown
  double weight = 1;               ///< in the mean of its role
};

struct TaskContract {
  /// Language of the requested kernels: cpp, riscv, cuda, hip, opencl, triton, cute, flydsl.
  std::string language = "cpp";
  std::vector<ContractTensor> tensors;  ///< in the order of the signature
  std::vector<std::string> axes;        ///< arguments after the tensors
  /// Axes that vary, with the lengths at which a kernel must be right: "rows from 1 to 4096".
  std::vector<std::string> sizes;
  std::vector<std::pair<std::string, std::int64_t>> constants;  ///< axes of fixed length
  std::int64_t threads = 1;
  bool on_host = true;     ///< kernels run in CPU threads
  bool prepares = false;   ///< a stage `prepare` may repack constant inputs
  std::string nonfinite;   ///< propagate, row_nan or unspecified
  bool libraries = false;  ///< kernels may call the C interface of BLAS
  bool flushes = true;     ///< subnormal results may be flushed to zero
  double relative = 0, relative_l2 = 0, scale = 0, absolute = 0;  ///< tolerance
  double matched_ratio = 1;  ///< share of an output's elements that must be within it
  double max_error = std::numeric_limits<double>::infinity();  ///< of every element
  std::string row;                                             ///< elements per row of the output
  std::vector<ContractShape> shapes;                           ///< in the order of the task
  bool total_time = false;  ///< the score is a ratio of total times, not a geometric mean
  /// The baseline that the score is over in a task without kernels, such as "pytorch eager"; "" =
  /// the task's anchor.
  std::string opponent;
};

}  // namespace ke
