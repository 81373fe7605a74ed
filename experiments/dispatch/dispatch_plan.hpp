#pragma once
// What an exported dispatcher is: its kernels, and which of them each device calls at which shape.
// The library's sources are written from it, and it is kept beside them, so that another machine
// can add its own figures.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "experiments/dispatch/choose.hpp"

namespace ke {

/// Name of the variant that a library for processors calls where no other one can run: the naive
/// kernel, built for any x86-64 processor, or, in a task without one, a function that ends the
/// program with a message.
inline constexpr std::string_view fallback_name = "fallback";

/// A kernel's machine code for one architecture of NVIDIA GPUs.
struct GpuCode {
  std::string arch;                  ///< "sm_90a"
  std::vector<std::string> kernels;  ///< that its plan launches, by their names in the machine code
  std::vector<std::string> cubins;   ///< in files variants/NAME.ARCH.N.cubin
  std::string launch;                ///< C++ that carries out the plan, variants/NAME.ARCH.hpp
};

/// One kernel of the library.
struct DispatchVariant {
  std::string name;                    ///< part of a symbol: "fallback", or one made of the genome
  std::string origin;                  ///< run file and candidate, or the task
  std::string genome;                  ///< hash, in hex
  std::vector<std::string> arguments;  ///< of the compiler: flags, and knobs as -D
  bool prepares = false;               ///< has a function `prepare`
  std::string source;                  ///< in a file of its own, variants/NAME.cpp or .cu
  std::string language = "cpp";
  std::vector<GpuCode> codes = {};  ///< of kernels for GPUs
};

/// One measured shape.
struct DispatchShape {
  std::string label;  ///< "rows=512 cols=1024"
  std::string role;
  std::vector<std::size_t> lengths;               ///< of the axes that the kernel is given
  std::vector<std::string> order;                 ///< variants, from best to worst
  std::map<std::string, SpeedupFigure> speedups;  ///< of variants over the anchor
};

/// The library itself, measured over the anchor after all was chosen.
struct DispatchCheck {
  std::string label;
  std::string role;
  std::string variant;       ///< that it calls there
  SpeedupFigure dispatcher;  ///< speedup 0: not measured, and `note` says why
  SpeedupFigure champion;    ///< of the runs, called everywhere
  /// The dispatcher over each library that is a baseline of the task: openblas, onednn.
  std::map<std::string, SpeedupFigure> libraries = {};
};

struct DispatchDevice {
  std::string processor;     ///< as it names itself; of a GPU as its driver does
  std::string extensions;    ///< as library/processor.hpp counts them, in hex; of a GPU its arch
  std::string device_class;  ///< as runs record it
  std::string date;          ///< of the measurement, UTC
  std::string champion;      ///< its origin
  DispatchRule rule;         ///< without orders: those stand at the shapes
  std::vector<DispatchShape> shapes;
  std::vector<DispatchCheck> checks;
};

struct DispatchPlan {
  std::string task;
  std::string task_hash;
  std::string symbol;                     ///< name of the library and of its function
  std::vector<DispatchVariant> variants;  ///< the anchor is the first one, the fallback the last
  std::vector<DispatchDevice> devices;

  /// Whether the kernels run on GPUs: then they come with machine code, and there is no fallback.
  bool on_gpu() const { return !variants.empty() && !variants.front().codes.empty(); }
  const DispatchVariant* find(std::string_view name) const;
  const DispatchVariant& anchor() const { return variants.front(); }
};

std::string_view to_string(DispatchKind kind);

/// Files of a code in the library's folder, without their endings: "variants/NAME.ARCH".
std::string code_stem(const DispatchVariant& variant, const GpuCode& code);

/// `dispatch.json` and `variants/` of a folder.
Result<void> write_plan(const std::string& folder, const DispatchPlan& plan);

/// Nothing where the folder has no dispatch.json. Errors: what no such program wrote.
Result<std::optional<DispatchPlan>> read_plan(const std::string& folder);

/// Puts what was found on one machine into a plan that another one may have begun: a device of the
/// same processor and extensions is replaced, and kernels that no shape calls any more are left
/// out. Errors: another task or another symbol.
Result<DispatchPlan> merged(std::optional<DispatchPlan> before, DispatchPlan now);

}  // namespace ke
