#include "fitness/gpu/ptx_measures.hpp"

#include <algorithm>
#include <charconv>

#include "core/text.hpp"

namespace ke::gpu {
namespace {

/// The number before `unit` in a line such as "Used 25 registers, 128 bytes smem".
double number_before(std::string_view line, std::string_view unit) {
  const std::size_t at = line.find(unit);
  if (at == line.npos || at == 0) return 0;
  std::size_t begin = at;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
  double value = 0;
  std::from_chars(line.data() + begin, line.data() + at, value);
  return value;
}

/// Bytes of one access, from its suffixes: ".v4.f32" = 16.
double access_bytes(std::string_view op) {
  double count = 1, bytes = 4;
  for (const std::string_view part : split(op, '.')) {
    if (part == "v2") count = 2;
    if (part == "v4") count = 4;
    if (part == "v8") count = 8;
    if (part == "b8" || part == "u8" || part == "s8") bytes = 1;
    if (part == "b16" || part == "u16" || part == "s16" || part == "f16") bytes = 2;
    if (part == "b64" || part == "u64" || part == "s64" || part == "f64") bytes = 8;
    if (part == "b128") bytes = 16;
  }
  return count * bytes;
}

/// The operation of an instruction line, or "" for labels, directives and braces.
std::string_view operation(std::string_view line) {
  line = trim(line);
  if (!line.empty() && line[0] == '@') {
    const std::size_t blank = line.find(' ');
    line = blank == line.npos ? std::string_view() : trim(line.substr(blank));
  }
  if (line.empty() || line[0] < 'a' || line[0] > 'z' || line.back() != ';') return {};
  return line.substr(0, line.find_first_of(" \t;"));
}

}  // namespace

std::map<std::string, double> ptx_measures(std::string_view ptx, std::string_view log) {
  std::map<std::string, double> m;
  for (const std::string_view name : ptx_measure_names) m[std::string(name)] = 0;
  for (const std::string_view line : split(log, '\n')) {
    m["registers"] = std::max(m["registers"], number_before(line, " registers"));
    m["shared_bytes"] = std::max(m["shared_bytes"], number_before(line, " bytes smem"));
    m["spill_bytes"] = std::max(m["spill_bytes"], number_before(line, " bytes spill stores"));
  }
  double loads = 0, load_bytes = 0, shared = 0, global = 0;
  for (const std::string_view line : split(ptx, '\n')) {
    const std::string_view op = operation(line);
    if (op.empty()) continue;
    m["ptx_instructions"] += 1;
    const auto holds = [&](std::string_view text) { return op.find(text) != op.npos; };
    if (op.starts_with("ld.global")) {
      loads += 1;
      load_bytes += access_bytes(op);
    }
    const bool access = op.starts_with("ld.") || op.starts_with("st.") || op.starts_with("atom") ||
                        op.starts_with("red.");
    if (access && holds(".shared")) shared += 1;
    if (access && holds(".global")) global += 1;
    if (op.starts_with("cp.async")) m["async_copies"] += 1;
    if (holds("mma.")) m["matrix_ops"] += 1;
    if (op.starts_with("shfl")) m["shuffles"] += 1;
  }
  if (loads > 0) m["load_bytes"] = load_bytes / loads;
  if (shared + global > 0) m["shared_share"] = shared / (shared + global);
  return m;
}

}  // namespace ke::gpu
