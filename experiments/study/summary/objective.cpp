#include "experiments/study/summary/objective.hpp"

#include <fmt/format.h>

#include "archive/recorded_facts.hpp"

namespace ke {

std::string objective_base(std::string_view evaluator_kind, const RunHeader& header) {
  if (evaluator_kind == "function") return "";
  if (evaluator_kind != "landscape") return "anchor";
  const bool median = header.config_text.find("device.reference = median") != std::string::npos;
  return median ? "median" : "optimum";
}

Result<std::string> objective_base(const RunReader& reader) {
  KE_TRY(const auto evaluator, recorded_evaluator(reader));
  if (!evaluator) return std::string();
  KE_TRY(const RunHeader header, reader.header());
  return objective_base(evaluator->kind, header);
}

std::string objective_text(double objective, std::string_view base) {
  if (base.empty()) return fmt::format("{:.4g}", objective);
  if (base == "optimum") return fmt::format("{:.3f} of the optimum", objective);
  return fmt::format("{:.3f}x {}", objective, base);
}

std::string objective_label(std::string_view base) {
  if (base.empty()) return "objective";
  if (base == "optimum") return "time of the optimum / time";
  return fmt::format("speedup over the {}", base);
}

}  // namespace ke
