#include "fitness/cross/chip_sheet.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ke::cross {
namespace {

/// How a rule's cost scales, in words, e.g. " x grouped registers".
std::string growth(const CostRule& rule) {
  if (rule.scale == CostRule::Scale::none) return "";
  if (rule.scale == CostRule::Scale::grouped) return " a pass over the grouped registers";
  return fmt::format(" a pass over {} registers", rule.registers);
}

std::string cost_lines(const Chip& chip) {
  std::string text =
      "Cost of each executed instruction in cost units (the first line that names it holds; * "
      "stands for any rest):\n";
  for (const CostRule& rule : chip.costs) {
    text += fmt::format("  {}{}: {}\n", rule.cost, growth(rule), fmt::join(rule.instructions, " "));
  }
  return text;
}

}  // namespace

DeviceSheet chip_sheet(const Chip& chip) {
  DeviceSheet sheet;
  sheet.time_unit = "cost units";
  sheet.text = fmt::format(
      "Chip: {}, simulated or attached; kernels run bare-metal in one thread\n"
      "Vector registers of {} bits; the datapath takes {} bits a pass, and part of a register "
      "takes "
      "a whole pass\n",
      chip.name, chip.vector_bits, chip.datapath_bits);
  if (chip.timing == "trace") {
    sheet.text +=
        "A kernel's time is the sum of the costs of its instructions, counted exactly; caches, "
        "latency and overlap do not count\n" +
        cost_lines(chip);
  } else {
    sheet.text += "A kernel's time is what the chip's own counter counts\n";
  }
  if (!chip.refused.empty()) {
    sheet.text += fmt::format("Refused instructions: {}\n", fmt::join(chip.refused, " "));
  }
  return sheet;
}

}  // namespace ke::cross
