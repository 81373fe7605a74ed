#pragma once
// Description of an exported dispatcher: its kernels, and which of them each device calls at each
// shape. The library's sources are written from it. It is stored beside them, so that another
// machine can add its own figures.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "experiments/dispatch/choose.hpp"

namespace ke {

/// Name of the variant that a library for processors or OpenCL devices calls if no other one can
/// run: the naive kernel. For processors it is built for any x86-64 one; if the task has none, it
/// is a function that ends the program with a message.
inline constexpr std::string_view fallback_name = "fallback";
/// Origin of the fallback of a task without a naive kernel.
inline constexpr std::string_view no_fallback = "none: ends the program";

/// A launched kernel's machine code for one architecture of GPUs, or its program in OpenCL.
struct GpuCode {
  std::string arch;                  ///< "sm_90a", "gfx942"; "opencl" for any device
  std::vector<std::string> kernels;  ///< names of the launched kernels in the code
  std::vector<std::string> cubins;   ///< machine code, each in a file; none for OpenCL
  std::string launch;                ///< the plan as data in C++, in variants/NAME.ARCH.hpp
};

/// One kernel of the library.
struct DispatchVariant {
  std::string name;                    ///< part of a symbol: "fallback", or derived from the genome
  std::string origin;                  ///< run file and candidate, or the task
  std::string genome;                  ///< hash, in hex
  std::vector<std::string> arguments;  ///< compiler arguments: flags, and knobs as -D
  bool prepares = false;               ///< has a function `prepare`
  std::string source;                  ///< stored in its own file, variants/NAME.cpp or .cu
  std::string language = "cpp";
  std::vector<GpuCode> codes = {};  ///< of launched kernels
};

/// One measured shape.
struct DispatchShape {
  std::string label;  ///< "rows=512 cols=1024"
  std::string role;
  std::vector<std::size_t> lengths;               ///< lengths of the axes that the kernel is given
  std::vector<std::string> order;                 ///< variants, from best to worst
  std::map<std::string, SpeedupFigure> speedups;  ///< speedups of variants over the anchor
};

/// Speedups of the finished library over the plan's `against`.
struct DispatchCheck {
  std::string label;
  std::string role;
  std::string variant;       ///< variant that the library calls there
  SpeedupFigure dispatcher;  ///< speedup 0: not measured; `note` says why
  SpeedupFigure champion;    ///< the runs' champion, called everywhere
  /// Speedup over each other baseline of the task: openblas, onednn, pytorch_compiled.
  std::map<std::string, SpeedupFigure> libraries = {};
  double library_ns = 0;                            ///< of one call; 0 = unknown
  std::map<std::string, double> opponents_ns = {};  ///< of one call, `against` included
};

struct DispatchDevice {
  std::string processor;     ///< name that the processor, driver or OpenCL reports
  std::string extensions;    ///< bits of library/processor/processor.hpp in hex; else the arch
  std::string device_class;  ///< as runs record it
  std::string date;          ///< date of the measurement, UTC
  std::string champion;      ///< origin of the champion
  double within = 0.1;       ///< as option verify_within: what is wider is not resolved
  DispatchRule rule;         ///< its orders stand in `shapes`, not here
  std::vector<DispatchShape> shapes;
  std::vector<DispatchCheck> checks;
  WorkloadMean mean = {};  ///< of the task
};

/// The devices that a library is for.
enum class LibraryKind { processor, cuda, hip, opencl };

struct DispatchPlan {
  std::string task;
  std::string task_hash;
  std::string symbol;                     ///< name of the library and of its function
  std::vector<DispatchVariant> variants;  ///< the anchor is the first one, the fallback the last
  std::vector<DispatchDevice> devices;
  /// The opponent of the library's figures: the task's anchor, or the baseline that stands in for
  /// it.
  std::string against = "anchor";

  LibraryKind kind() const;
  const DispatchVariant* find(std::string_view name) const;
  const DispatchVariant& anchor() const { return variants.front(); }
};

std::string_view to_string(DispatchKind kind);
/// Name for people: "processors", "NVIDIA GPUs", ..
std::string_view to_string(LibraryKind kind);

/// Path of a kernel's source in the library's folder: "variants/NAME.cpp".
std::string source_path(const DispatchVariant& variant);
/// Path stem of a code's files in the library's folder: "variants/NAME.ARCH".
std::string code_stem(const DispatchVariant& variant, const GpuCode& code);

/// Path of a code's file of machine code: "variants/NAME.ARCH.0.cubin", for AMD GPUs "..co".
std::string image_path(const DispatchVariant& variant, const GpuCode& code, std::size_t i);

/// Writes `dispatch.json` and `variants/` into a folder.
Result<void> write_plan(const std::string& folder, const DispatchPlan& plan);

/// Reads a folder's plan; nothing if it has no dispatch.json. Error: the file is malformed.
Result<std::optional<DispatchPlan>> read_plan(const std::string& folder);

/// Merges one machine's results into a plan that another one may have begun. Replaces a device of
/// the same processor and extensions, and drops kernels that no shape calls any more. Errors:
/// another task, another symbol or other devices.
Result<DispatchPlan> merged(std::optional<DispatchPlan> before, DispatchPlan now);

}  // namespace ke
