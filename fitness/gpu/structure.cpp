#include "fitness/gpu/structure.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <set>
#include <tuple>

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

namespace {

/// Properties that the text of one entry or function shows.
struct Body {
  double engine = 0, data_path = 0, cooperation = 0, stages = 0, warp_roles = 0;
  bool shared_accesses = false, barriers = false;
  double memory_barriers = 0;
  std::set<std::string, std::less<>> calls;
};

bool holds(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

void raise(double& value, double to) { value = std::max(value, to); }

/// The number at the start of a text, else 0.
double number_at(std::string_view text) {
  text = trim(text);
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

bool is_vector(std::string_view op) {
  return holds(op, ".v2") || holds(op, ".v4") || holds(op, ".v8") || holds(op, ".b128");
}

/// Groups in registers are written in braces: an accumulator, and maybe an operand.
bool has_register_operand(std::string_view operands) {
  return std::ranges::count(operands, '{') > 1;
}

void look_at_arithmetic(std::string_view op, std::string_view operands, Body& body) {
  if (op.starts_with("tcgen05.mma")) {
    raise(body.engine, 5);
  } else if (op.starts_with("wgmma.mma")) {
    raise(body.engine, has_register_operand(operands) ? 4 : 3);
  } else if (op.starts_with("mma.") || op.starts_with("wmma.mma")) {
    raise(body.engine, 2);
  } else if (op.starts_with("fma.") || op.starts_with("mul.") || op.starts_with("dp4a") ||
             op.starts_with("dp2a")) {
    const bool packed = holds(op, "x2") || op.starts_with("dp");
    raise(body.engine, packed ? 1 : 0);
  }
}

void look_at_memory(std::string_view op, std::string_view operands, Body& body) {
  if (op.starts_with("ld.global") && is_vector(op)) raise(body.data_path, 1);
  if (op.starts_with("cp.async")) {
    const bool reads = holds(op, ".shared") && holds(op, ".global") &&
                       op.find(".shared") < op.find(".global");  // the target comes first
    if (holds(op, ".multicast")) {
      raise(body.data_path, 5);
    } else if (op.starts_with("cp.async.bulk.tensor") && reads) {
      raise(body.data_path, 4);
    } else if (op.starts_with("cp.async.bulk") && reads) {
      raise(body.data_path, 3);
    } else if (reads) {
      raise(body.data_path, 2);
    }
    if (op == "cp.async.wait_group") raise(body.stages, number_at(operands) + 1);
    if (op == "cp.async.wait_all") raise(body.stages, 1);
  }
  if ((op.starts_with("ld.") || op.starts_with("st.")) && holds(op, ".shared"))
    body.shared_accesses = true;
  if (op.starts_with("ldmatrix") || op.starts_with("stmatrix") || op.starts_with("wgmma.mma") ||
      op.starts_with("tcgen05.mma") || op.starts_with("cp.async.bulk"))
    body.shared_accesses = true;
}

void look_at_exchanges(std::string_view op, std::string_view operands, Body& body) {
  if (op.starts_with("shfl") || op.starts_with("redux") || op.starts_with("match"))
    raise(body.cooperation, 1);
  const bool barrier = op.starts_with("bar.") || op.starts_with("barrier.");
  if (barrier || op.starts_with("mbarrier")) body.barriers = true;
  if (op.starts_with("mbarrier.init")) body.memory_barriers += 1;
  const bool in_cluster =
      op.starts_with("barrier.cluster") || op.starts_with("mapa") || holds(op, "shared::cluster");
  // A bulk copy names the cluster's window even where its target is the block's own memory.
  if (in_cluster && !op.starts_with("cp.async.bulk")) raise(body.cooperation, 3);
  if (holds(op, ".multicast")) raise(body.cooperation, 3);
  if ((op.starts_with("atom") || op.starts_with("red.")) && holds(op, ".global"))
    raise(body.cooperation, 4);
  if (op.starts_with("setmaxnreg")) body.warp_roles = 1;
  const std::string_view id = trim(operands).substr(0, trim(operands).find(','));
  if (barrier && !op.starts_with("barrier.cluster") && id != "0") body.warp_roles = 1;
}

/// Without comments: those of inline assembly stand in the midst of instructions.
std::string without_comments(std::string_view ptx) {
  std::string text;
  text.reserve(ptx.size());
  for (const std::string_view line : split(ptx, '\n')) {
    text += line.substr(0, line.find("//"));
    text += '\n';
  }
  return text;
}

/// The instruction of a statement, behind braces, labels and its predicate.
std::string_view instruction_of(std::string_view statement) {
  statement = trim(statement);
  for (bool more = true; more;) {
    more = false;
    while (!statement.empty() && (statement[0] == '{' || statement[0] == '}')) {
      statement = trim(statement.substr(1));
      more = true;
    }
    const std::size_t end = statement.find_first_of(" \t\n");
    const std::string_view first = statement.substr(0, end);
    if (!first.empty() && (first.back() == ':' || first[0] == '@') && end != statement.npos) {
      statement = trim(statement.substr(end));
      more = true;
    }
  }
  return statement;
}

/// Called functions: a name between the results and the arguments.
void look_at_calls(std::string_view operands, Body& body) {
  for (const std::string_view part : split(operands, ',')) {
    if (const std::string_view word = trim(part); is_identifier(word))
      body.calls.insert(std::string(word));
  }
}

void look_at(std::string_view statement, Body& body) {
  const std::string_view text = instruction_of(statement);
  if (text.empty() || text[0] < 'a' || text[0] > 'z') return;
  const std::size_t end = text.find_first_of(" \t\n");
  const std::string_view op = text.substr(0, end);
  const std::string_view operands = end == text.npos ? std::string_view() : text.substr(end);
  look_at_arithmetic(op, operands, body);
  look_at_memory(op, operands, body);
  look_at_exchanges(op, operands, body);
  if (op.starts_with("call")) look_at_calls(operands, body);
}

/// Entries and functions by name.
std::map<std::string, Body, std::less<>> bodies_of(std::string_view ptx) {
  std::map<std::string, Body, std::less<>> bodies;
  const std::string text = without_comments(ptx);
  Body* body = nullptr;
  for (std::string_view statement : split(text, ';')) {
    for (const std::string_view head : {".entry", ".func"}) {
      const std::size_t at = statement.find(head);
      if (at == statement.npos) continue;
      std::string_view rest = trim(statement.substr(at + head.size()));
      if (!rest.empty() && rest[0] == '(') {  // a function's result
        rest = trim(rest.substr(std::min(rest.size(), rest.find(')') + 1)));
      }
      body = &bodies[std::string(rest.substr(0, rest.find_first_of("( \t\n")))];
      const std::size_t open = statement.find('{', at);
      statement = open == statement.npos ? std::string_view() : statement.substr(open);
    }
    if (body != nullptr) look_at(statement, *body);
  }
  for (auto& [name, one] : bodies) {
    if (one.barriers && one.shared_accesses) raise(one.cooperation, 2);
    raise(one.stages, std::ceil(one.memory_barriers / 2));
  }
  return bodies;
}

/// A body with all that it calls.
Body with_calls(const std::map<std::string, Body, std::less<>>& bodies, std::string_view name) {
  Body all;
  std::set<std::string, std::less<>> seen;
  std::vector<std::string> open{std::string(name)};
  while (!open.empty()) {
    const std::string next = std::move(open.back());
    open.pop_back();
    const auto found = bodies.find(next);
    if (found == bodies.end() || !seen.insert(next).second) continue;
    const Body& body = found->second;
    raise(all.engine, body.engine);
    raise(all.data_path, body.data_path);
    raise(all.cooperation, body.cooperation);
    raise(all.stages, body.stages);
    raise(all.warp_roles, body.warp_roles);
    open.insert(open.end(), body.calls.begin(), body.calls.end());
  }
  return all;
}

/// Bytes of static shared memory by entry, from the assembler's log.
std::map<std::string, double, std::less<>> static_shared(std::string_view log) {
  std::map<std::string, double, std::less<>> bytes;
  std::string entry;
  for (const std::string_view line : split(log, '\n')) {
    if (const std::size_t at = line.find("entry function '"); at != line.npos) {
      const std::string_view rest = line.substr(at + std::string_view("entry function '").size());
      entry = rest.substr(0, rest.find('\''));
    }
    if (holds(line, " bytes smem")) bytes[entry] = number_before(line, " bytes smem");
  }
  return bytes;
}

double product(const std::vector<std::int64_t>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 1.0, std::multiplies<>());
}

double widest_group(const Body& body, const ResolvedStep& step) {
  if (step.cooperative) return 4;
  const bool one_warp = product(step.block) <= 32;
  return one_warp && body.cooperation == 2 ? 1 : body.cooperation;
}

}  // namespace

std::map<std::string, double> structure_measures(std::string_view ptx, std::string_view log,
                                                 const std::vector<ResolvedPlan>& plans,
                                                 const DeviceTerms& device) {
  std::map<std::string, double> m;
  for (const std::string_view name : structure_names) m[std::string(name)] = 0;
  const auto bodies = bodies_of(ptx);
  const auto shared = static_shared(log);
  std::tuple<double, double, double> main{-1, -1, -1};
  for (const ResolvedPlan& plan : plans) {
    double launches = 0;
    for (const ResolvedStep& step : plan.steps) {
      if (step.kernel.empty()) continue;
      launches += 1;
      const Body body = with_calls(bodies, step.kernel);
      const double threads = product(step.block), blocks = product(step.grid);
      const auto own = shared.find(step.kernel);
      raise(m["engine"], body.engine);
      raise(m["data_path"], body.data_path);
      raise(m["cooperation"], widest_group(body, step));
      raise(m["stages"], body.stages);
      raise(m["warp_roles"], body.warp_roles);
      raise(m["block_shared_bytes"],
            static_cast<double>(step.shared_bytes) + (own == shared.end() ? 0 : own->second));
      const std::tuple rank{body.engine, body.data_path, threads * blocks};
      if (rank <= main) continue;
      main = rank;
      m["waves"] = blocks / static_cast<double>(device.sm_count);
      m["block_threads"] = threads;
    }
    raise(m["launches"], launches);
    raise(m["plan_scratch_bytes"],
          static_cast<double>(std::accumulate(plan.scratch_bytes.begin(), plan.scratch_bytes.end(),
                                              std::int64_t{0})));
  }
  return m;
}

}  // namespace ke::gpu
