#pragma once
// The reader of task.yaml. Its parts: task_reader.cpp (head, axes, rules, costs), task_tensors.cpp,
// task_files.cpp and task_workloads.cpp.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/language.hpp"
#include "core/params.hpp"
#include "fitness/task.hpp"

namespace ke {

/// Reads every option of a task once, then checks them against each other. Collects errors in the
/// log.
class TaskReader {
 public:
  TaskReader(const Node& document, const std::string& folder)
      : folder_(folder), top_(&document, "", log_) {}

  Result<Task> read();

 private:
  void read_head();
  void read_axes();
  void read_tensors();
  TensorSpec read_tensor(Params p, const std::string& name, bool output);
  void read_values(Params& p, TensorSpec& tensor);
  void read_int_range(Params& p, TensorSpec& tensor);
  void read_lines(Params& p, TensorSpec& tensor);
  void read_signature();
  void read_rules();
  void read_permuted(Params& p);
  std::vector<ScaleRule> read_effects(Params effects);
  void read_scaled_together(Params& transforms);
  void check_language();
  void read_tolerance(Params p);
  void read_costs();
  void read_files();
  void read_kernels();
  void read_language();
  void add_kernel(Params& kernels, const std::string& key, const std::string& name,
                  const std::string& file);
  void read_found(Params& kernels);
  void read_port(Params& kernels, const Language& language);
  std::string named_file(Params& p, std::string_view key, const std::string& file);
  void read_include_dir();
  void read_headers(const std::string& folder);
  void check_dtypes();
  void read_workloads();
  void read_workload(Params p);
  void read_weight(Params& p, const Workload& workload);
  void check_sizes(Params& p, const Workload& workload);
  void check_roles();
  void read_ranges();
  void read_range(Params& ranges, const std::string& axis);
  Expression expression(Params& p, std::string_view key, const std::string& text);
  const TensorSpec* tensor(std::string_view name) const;
  bool is_axis(std::string_view name) const;
  bool is_variable(const std::string& name) const;
  Digest content_hash() const;

  std::string folder_;
  ParamLog log_;
  Params top_;
  Task task_;
  std::map<std::string, std::string> files_;  ///< path as written -> content, for the hash
};

}  // namespace ke
