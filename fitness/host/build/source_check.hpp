#pragma once
// First, cheap checks of a candidate's text and declarations. Never the only defence: the
// compiler's file system holds only the toolchain, and the object is checked afterwards.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/knob_space.hpp"
#include "fitness/build_outcome.hpp"

namespace ke {

/// The result of scanning the text.
struct SourceCheck {
  std::optional<std::string> forbidden;  ///< reason code: forbidden_include or forbidden_directive
  std::string detail;                    ///< the offending line, capped
  int line = 0;
  std::vector<std::string> policy_flags;  ///< optimize/target pragmas and attributes, as written
};

/// Forbids includes with absolute or parent paths and `.incbin`; comments and strings can neither
/// hide nor fake them. O(n).
SourceCheck check_source(std::string_view source);

/// Whether flags beyond the declared genes, which come from the user (`eval --flags`), are taken.
enum class ExtraFlags { refused, taken };

/// A kernel's declarations at its knobs and flags.
struct DeclaredKernel {
  KernelSpace space;
  std::vector<std::string> flags;  ///< fixed ones, then the chosen ones; unchecked
  std::vector<std::pair<std::string, std::string>> macros;
  std::vector<std::string> policy_flags;
};

/// Fills all but `policy_flags`, or reports a problem in the declarations or the knobs. Kernels
/// without a name appear as `file_name`.
std::optional<Refusal> read_declarations(const Kernel& kernel, const std::string& file_name,
                                         ExtraFlags extra, DeclaredKernel& declared);
/// The same after a check_source, which may refuse the kernel.
std::optional<Refusal> check_kernel(const Kernel& kernel, const std::string& file_name,
                                    ExtraFlags extra, DeclaredKernel& declared);

/// Refuses macros that could break out of -DNAME=VALUE.
std::optional<Refusal> check_defines(
    const std::vector<std::pair<std::string, std::string>>& macros);

}  // namespace ke
