#include "operators/llm/contract_section.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "core/dtype_table.hpp"
#include "core/signature.hpp"
#include "operators/llm/figures.hpp"

namespace ke {
namespace {

bool has_half(const TaskContract& contract) {
  return std::ranges::any_of(contract.tensors, [](const ContractTensor& tensor) {
    const auto dtype = dtype_named(tensor.dtype);
    return dtype && is_half(*dtype);
  });
}

/// Signatures of languages with launched kernels contain "NAME".
std::string signature_lines(const TaskContract& contract) {
  const std::string signature = signature_text(contract);
  std::string text = fmt::format("```\n{}\n```\n", signature);
  if (signature.find("NAME") != signature.npos) {
    text +=
        "NAME is yours. A launch without args=(..) passes these arguments; with it a kernel takes "
        "what is listed there.\n";
  }
  return text;
}

std::string tensor_line(const ContractTensor& tensor) {
  std::string text = fmt::format("- {}: {}, {} [{}], {}-byte aligned", tensor.name,
                                 tensor.output ? "output" : "input", tensor.dtype,
                                 fmt::join(tensor.shape, ", "), tensor.align);
  if (tensor.output) return text + "; garbage before the call, every element must be written\n";
  text += tensor.changes ? "; new values in each call" : "; its values never change between calls";
  return text + fmt::format(". Values: {}\n", fmt::join(tensor.values, "; "));
}

std::string argument_lines(const TaskContract& contract) {
  std::string text =
      "Tensors are dense, row-major, and do not overlap. Alignment holds for the first element "
      "alone.\n";
  for (const ContractTensor& tensor : contract.tensors) text += tensor_line(tensor);
  if (!contract.sizes.empty()) {
    text += fmt::format("- sizes: {}\n", fmt::join(contract.sizes, "; "));
  }
  for (const auto& [name, value] : contract.constants) {
    text += fmt::format("- {} = {} at every shape; it is no argument\n", name, value);
  }
  if (contract.libraries) {
    text +=
        "Beyond the libraries that the rules name, a kernel may call the C interface of BLAS "
        "(functions cblas_*, of OpenBLAS on the threads above), which it declares itself.\n";
  }
  const bool fixed =
      std::ranges::any_of(contract.tensors, [](const ContractTensor& t) { return !t.changes; });
  if (fixed && contract.prepares) {
    text +=
        "A second function `extern \"C\" void prepare(..)` of the file, with the inputs that never "
        "change and then the sizes, may repack them into variables of the file. It is called "
        "before the kernel whenever they change, and its time does not count.\n";
  }
  return text;
}

std::string nonfinite_words(const TaskContract& contract) {
  if (contract.nonfinite == "propagate") {
    return "NaN and infinities are given and propagate as in IEEE arithmetic: NaN where the "
           "reference has NaN, the same infinity where it has one.";
  }
  if (contract.nonfinite == "row_nan") {
    return "NaN and infinities are given: a NaN, and what the description names beside it, makes "
           "its whole row NaN; other infinities are as in the reference.";
  }
  return "NaN and infinities are never given, and elements whose reference is not finite are not "
         "compared.";
}

std::string rounding_words(const TaskContract& contract) {
  if (!has_half(contract)) return "";
  return "To both bounds 1.5 eps |ref| is added for outputs in float16 (eps = 2^-10) and bfloat16 "
         "(eps = 2^-7): inputs are widened exactly, and the reference is not rounded.\n";
}

bool has_output(const TaskContract& contract, Dtype dtype) {
  return std::ranges::any_of(contract.tensors, [&](const ContractTensor& tensor) {
    return tensor.output && tensor.dtype == to_string(dtype);
  });
}

/// Names of the integer types among the outputs, each once.
std::vector<std::string_view> exact_outputs(const TaskContract& contract) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < dtype_table.size(); ++i) {
    const auto dtype = static_cast<Dtype>(i);
    if (is_int(dtype) && has_output(contract, dtype)) names.push_back(to_string(dtype));
  }
  return names;
}

/// The absolute error that is always allowed.
std::string_view least_error(const TaskContract& contract) {
  if (has_output(contract, Dtype::float16)) return "2^-22";
  if (has_output(contract, Dtype::float64)) return contract.flushes ? "4 DBL_MIN" : "2^-1072";
  return contract.flushes ? "4 FLT_MIN" : "2^-147";
}

/// The share of elements that the bound holds for, and the bound on the others.
std::string share_words(const TaskContract& contract) {
  std::string text = contract.matched_ratio == 1
                         ? "every element"
                         : fmt::format("at least {:g} % of the elements of each output",
                                       100 * contract.matched_ratio);
  if (std::isfinite(contract.max_error)) {
    text += fmt::format(" and |got - ref| <= {:g} for every element", contract.max_error);
  } else if (contract.matched_ratio < 1) {
    text += " and none is NaN or infinite where the reference is finite";
  }
  return text;
}

std::string norm_words(const TaskContract& contract) {
  if (std::isinf(contract.relative_l2)) return "";
  return fmt::format(", and ||got - ref|| <= {:g} ||ref|| over the whole output (2-norm)",
                     contract.relative_l2);
}

std::string accuracy_lines(const TaskContract& contract) {
  const std::string absolute =
      contract.absolute > 0 ? fmt::format("{:g} + ", contract.absolute) : "";
  std::string text = fmt::format(
      "An output is right if |got - ref| <= {:g} |ref| + {}{:g} rms(row) + {} for {}, "
      "where rms is over the reference's row of {} elements{}. The reference is computed in double "
      "precision.\n",
      contract.relative, absolute, contract.scale, least_error(contract), share_words(contract),
      contract.row, norm_words(contract));
  text += rounding_words(contract);
  if (const auto exact = exact_outputs(contract); !exact.empty()) {
    text +=
        fmt::format("Outputs of {} must be equal to the reference.\n", fmt::join(exact, " and "));
  }
  text += nonfinite_words(contract) + "\n";
  text += contract.flushes ? "Results below the least normal number may be 0.\n"
                           : "Subnormal numbers are exact: they must not be flushed to 0.\n";
  if (!contract.on_host) return text;
  return text + (contract.threads == 1
                     ? "The kernel runs in one thread and starts no other.\n"
                     : fmt::format("The kernel may use {} threads (OpenMP).\n", contract.threads));
}

/// Shares of the calls of a role, where not all shapes weigh the same.
std::string share_words(const ContractShape& shape, const TaskContract& contract) {
  double total = 0;
  bool equal = true;
  for (const ContractShape& other : contract.shapes) {
    if (other.role != shape.role) continue;
    total += other.weight;
    equal = equal && other.weight == shape.weight;
  }
  if (equal) return "";
  const double percent = 100 * shape.weight / total;
  return fmt::format(", {} % of the {}",
                     percent < 0.01 ? "less than 0.01" : fmt::format("{:.3g}", percent),
                     contract.total_time ? "calls" : "weight");
}

std::string timed_line(const ContractShape& shape, const TaskContract& contract,
                       const DeviceSheet* sheet) {
  std::string text = fmt::format("- {} {}: tensors of {}", shape.role, shape.label,
                                 size_words(shape.tensor_bytes));
  text += share_words(shape, contract);
  if (shape.traffic_bytes > 0) {
    text += fmt::format(", {} must move", size_words(shape.traffic_bytes));
  }
  if (shape.flops > 0) text += fmt::format(", {}", work_words(shape.flops));
  if (const double floor = floor_of(sheet, shape.label); floor > 0) {
    text += fmt::format(", floor {}", time_words(floor, sheet));
  }
  return text + "\n";
}

std::string shape_lines(const TaskContract& contract, const DeviceSheet* sheet) {
  std::string timed, tests;
  bool validated = false, weighted = false;
  for (const ContractShape& shape : contract.shapes) {
    if (shape.role == "test") {
      tests += (tests.empty() ? "" : "; ") + shape.label;
      continue;
    }
    validated = validated || shape.role == "validation";
    weighted = weighted || (shape.role == "bench" && !share_words(shape, contract).empty());
    timed += timed_line(shape, contract, sheet);
  }
  std::string text = "Timed shapes:\n" + timed;
  const std::string opponent = opponent_words(&contract);
  const std::string named =
      opponent + (contract.opponent.empty() ? ", the task's own structured kernel" : "");
  if (contract.total_time) {
    text += fmt::format(
        "The score is the speedup of all calls together at the bench shapes, over {}.", named);
  } else {
    text += fmt::format(
        "The score is the {}geometric mean, over the bench shapes, of the speedup over {}.",
        weighted ? "weighted " : "", named);
  }
  if (validated) {
    text += fmt::format(
        " Both roles count: a kernel that is slower than {} at the validation shapes is no winner.",
        opponent);
  }
  text += "\n";
  if (sheet != nullptr && !sheet->floors_ns.empty()) {
    text +=
        "A floor is the longer of two times: of moving those bytes at the measured bandwidth, and "
        "of those operations at the device's peak.\n";
  }
  if (tests.empty()) return text + "No length varies: this is the only shape.\n";
  text += fmt::format("Also correct at: {}.\n", tests);
  return text + "Shapes of no list are checked too: odd sizes, primes, sizes between these.\n";
}

}  // namespace

std::string task_section(std::string_view task_text) {
  return fmt::format("## Task, and its reference in double precision\n{}\n", task_text);
}

std::string contract_text(const TaskContract& contract, const DeviceSheet* sheet) {
  return "## Contract\n" + signature_lines(contract) + argument_lines(contract) +
         accuracy_lines(contract) + shape_lines(contract, sheet);
}

std::string contract_section(const PromptScene& scene) {
  const TaskContract* contract = scene.context.contract;
  return contract == nullptr ? "" : contract_text(*contract, scene.context.sheet);
}

std::string device_section(const PromptScene& scene) {
  const DeviceSheet* sheet = scene.context.sheet;
  if (sheet == nullptr || sheet->text.empty()) return "";
  return "## Device\n" + sheet->text;
}

}  // namespace ke
