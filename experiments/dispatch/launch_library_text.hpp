#pragma once
// Parts of the sources of libraries that launch kernels.

#include <string>
#include <vector>

#include "experiments/dispatch/dispatch_plan.hpp"
#include "fitness/task.hpp"

namespace ke {

/// Parameters "size_t rows", "size_t cols".
std::vector<std::string> axis_parameters(const Task& task);

/// Two lists, one after the other, with commas.
std::string joined(std::vector<std::string> list, const std::vector<std::string>& more);

/// A C string.
std::string quoted(const std::string& text);
/// "{\"a\", \"b\"}".
std::string quoted_list(const std::vector<std::string>& texts);

/// "x, y".
std::string tensor_names(const Task& task);

/// Files as data of the library, by symbol.
class CodeData {
 public:
  /// `path` is below the library's folder.
  void add(const std::string& symbol, const std::string& path);
  /// code.S.
  const std::string& text() const { return text_; }

 private:
  std::string text_ =
      "/* The kernels' code, as data. Written from dispatch.json. */\n"
      ".section .note.GNU-stack,\"\",@progbits\n.section .rodata\n";
};

/// library.sh, which build.sh reads. `endings`: of the exported functions, after the symbol.
std::string build_text(const DispatchPlan& plan, const std::vector<std::string>& endings);

}  // namespace ke
