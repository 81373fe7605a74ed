#pragma once
// The oracle: a task's reference.cpp, compiled by the caller and called in double precision.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "core/result.hpp"
#include "fitness/task.hpp"

namespace ke {

/// `extern "C" void reference(inputs..., outputs..., axes...)`: const double* and double* for
/// tensors of floating types, const int32_t* and int32_t* for int32 tensors, std::size_t for axes.
class Reference {
 public:
  static constexpr std::size_t max_arguments = 16;
  /// Compiles C++ text to a shared library and gives its path.
  using Compile = std::function<Result<std::string>(const std::string& source)>;

  /// Loads `library` and finds `reference`. The file must stay while it is loaded: another library
  /// in a file that got the same inode would be taken for this one.
  static Result<Reference> load(const std::string& library);
  /// Compiles the reference of a task, then loads it.
  static Result<Reference> build(const Task& task, const Compile& compile);

  /// Calls it. `tensors`: in signature order; `axes`: values of task.axis_arguments. At most 16
  /// arguments together. Any thread.
  void operator()(std::span<void* const> tensors, std::span<const std::int64_t> axes) const;

  /// Keeps the library's file for as long as the reference lives.
  void own(std::shared_ptr<const void> file) { file_ = std::move(file); }

 private:
  std::shared_ptr<const void> file_;  // outlives the library
  std::shared_ptr<void> library_;
  void* function_ = nullptr;
};

}  // namespace ke
