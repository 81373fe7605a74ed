#include "fitness/cross/chip.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>

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

constexpr std::int64_t most_kib = std::int64_t{1} << 22;

CostRule read_cost(Params& p) {
  CostRule rule;
  rule.name = p.required_text("name", "name of the class; its count is the measure n_NAME");
  rule.cost = p.real("cost", 1, {0, 1e6}, "cost of one instruction");
  rule.scale = p.choice_of<CostRule::Scale>(
      "scale", "none", {"none", "grouped", "fixed"},
      "what multiplies the cost: nothing; the registers that the last 'vector_set' grouped; "
      "'registers'");
  rule.registers = p.real("registers", 1, {0.125, 1024}, "vector registers of scale 'fixed'");
  rule.instructions = p.texts("instructions", {}, "names; a * at the end stands for any rest");
  if (rule.instructions.empty()) p.fail("instructions", "is missing");
  return rule;
}

Resource read_resource(Params& p) {
  Resource resource;
  resource.measure = p.required_text("measure", "name of the measure");
  resource.line = p.required_text("line", "how its line begins");
  resource.field = p.integer("field", 1, {0, 100}, "number of the word in that line, from 0");
  return resource;
}

MemoryMap read_memory(Params p) {
  constexpr std::int64_t kib = 1024;
  MemoryMap map;
  map.base = p.integer("base", 0, {0, std::int64_t{1} << 52}, "address of the memory's first byte");
  std::int64_t last = 0;
  const auto place = [&](const char* name, std::int64_t fallback, const char* doc) {
    const std::int64_t at = p.integer(name, fallback, {0, most_kib}, doc);
    if (at < last || at % 4 != 0) {
      p.fail(name,
             fmt::format("= {} must be a multiple of 4 and no less than the place before it", at));
    }
    last = at;
    return map.base + at * kib;
  };
  map.code = place("code_kib", 64, "KiB from the base to code and constants of a kernel");
  map.data = place("data_kib", 1024, "KiB to its variables and stack");
  map.mailbox = place("mailbox_kib", 2048, "KiB to the calls, which it may not touch");
  map.tensors = place("tensors_kib", 4096, "KiB to the tensors");
  map.end = place("end_kib", 65536, "KiB to the end of the tensors");
  map.bytes = place("size_kib", 65536, "KiB of the whole memory") - map.base;
  return map;
}

void require(Params& device, const char* name, const Command& command) {
  if (command.empty()) {
    device.fail(name, "is missing; configs/backends/riscv.yaml shows a whole chip");
  } else if (!command.front().starts_with('/')) {
    device.fail(name, fmt::format("= {} must begin with the path of a program", command.front()));
  }
}

void read_commands(Params& device, Chip& chip) {
  Params tools = device.section("toolchain");
  chip.version = tools.texts("version", {}, "command: its first line enters the keys of builds");
  chip.compile = tools.texts("compile", {},
                             "command: {source} to {object} with {flags}, {defines} and {include}");
  chip.link = tools.texts("link", {}, "command: {object} and files of {support} to {image}");
  chip.disassemble = tools.texts("disassemble", {},
                                 "command: prints the kernel's code in {image} as objdump does");
  chip.flags = tools.texts("flags", {}, "flags that kernels may use; a * at the end = any rest");
  chip.dropped_flags = tools.texts("dropped_flags", {}, "flags of other devices, left out");
  chip.resources = tools.texts("resources", {}, "command: prints figures of {image}; empty = none");
  for (Params& one : tools.sections("measures",
                                    "figures in what 'resources' prints: 'measure', "
                                    "'line' (how it begins), 'field'")) {
    chip.resource_measures.push_back(read_resource(one));
  }
  require(tools, "version", chip.version);
  require(tools, "compile", chip.compile);
  require(tools, "link", chip.link);
  require(tools, "disassemble", chip.disassemble);
}

void read_runner(Params& device, Chip& chip) {
  Params runner = device.section("runner");
  chip.run = runner.texts("command", {}, "command: runs {image} on {memory}, and ends by itself");
  chip.checked = runner.texts("checked", {}, "its further arguments where outputs are compared");
  chip.counted = runner.texts("counted", {}, "and where instructions are counted into {trace}");
  chip.call_limit = runner.integer("call_limit", 1'000'000, {1, std::int64_t{1} << 52},
                                   "ticks of the chip's clock after which a call is ended");
  chip.run_limit_ms =
      runner.duration_ms("time_limit", "20s", {100, 3'600'000}, "time for one start of the runner");
  chip.timing = runner.choice("timing", "trace", {"trace", "counter"},
                              "what a kernel costs: instructions of a QEMU trace by class, or the "
                              "counter that the start-up file reads");
  chip.counter_overhead =
      runner.integer("counter_overhead", 0, {0, 1'000'000},
                     "what the start-up file's counter counts of a call that does nothing");
  chip.count_tolerance = runner.real("count_tolerance", 0.25, {0, 10},
                                     "how much counts on fixed and on secret inputs may differ");
  chip.traps = runner.texts("traps", {}, "names of the causes of traps, by number");
  require(runner, "command", chip.run);
}

void read_costs(Params& device, Chip& chip) {
  chip.refused = device.texts("refused", {}, "instructions that kernels may not hold");
  chip.vector_set = device.texts("vector_set", {},
                                 "instructions whose operand mN or mfN groups "
                                 "N or 1/N vector registers");
  chip.vector_bits = device.real("vector_bits", 256, {1, 1 << 20}, "bits of a vector register");
  chip.datapath_bits =
      device.real("datapath_bits", 256, {1, 1 << 20}, "bits that one unit of cost pays for");
  for (Params& one :
       device.sections("costs",
                       "classes of instructions, the first match holds: 'name', 'cost', "
                       "'scale', 'registers', 'instructions'")) {
    chip.costs.push_back(read_cost(one));
  }
  if (chip.costs.empty()) device.fail("costs", "is missing");
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

bool matches(std::string_view name, const std::vector<std::string>& patterns) {
  return std::ranges::any_of(patterns, [&](std::string_view pattern) {
    if (!pattern.ends_with('*')) return name == pattern;
    return name.starts_with(pattern.substr(0, pattern.size() - 1));
  });
}

Command filled(const Command& command, const Words& words) {
  Command out;
  for (std::string argument : command) {
    bool listed = false;
    for (const auto& [word, values] : words.lists) {
      if (argument != "{" + word + "}") continue;
      out.insert(out.end(), values.begin(), values.end());
      listed = true;
    }
    if (listed) continue;
    for (const auto& [word, value] : words.texts) {
      const std::string mark = "{" + word + "}";
      for (std::size_t at = 0; (at = argument.find(mark, at)) != std::string::npos;) {
        argument.replace(at, mark.size(), value);
        at += value.size();
      }
    }
    out.push_back(std::move(argument));
  }
  return out;
}

Chip Chip::read(Params& device) {
  Chip chip;
  chip.name = device.text("chip", "", "name of the chip, for tables and keys");
  chip.install = device.text("install", "", "what to do where a program is missing");
  chip.support = device.text("support", "",
                             "folder below configs/backends, or path: start-up file, "
                             "linker script, headers; {support} in commands");
  read_commands(device, chip);
  read_runner(device, chip);
  read_costs(device, chip);
  chip.memory = read_memory(device.section("memory"));
  return chip;
}

std::vector<std::string> Chip::class_names() const {
  std::vector<std::string> names;
  for (const CostRule& rule : costs) {
    if (std::ranges::find(names, rule.name) == names.end()) names.push_back(rule.name);
  }
  return names;
}

std::vector<std::string> Chip::missing_programs() const {
  std::vector<std::string> list;
  for (const Command* command : {&version, &compile, &link, &disassemble, &resources, &run}) {
    if (command->empty() || access(command->front().c_str(), X_OK) == 0) continue;
    if (std::ranges::find(list, command->front()) == list.end()) list.push_back(command->front());
  }
  return list;
}

}  // namespace ke::cross
