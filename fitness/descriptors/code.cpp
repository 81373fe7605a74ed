#include "fitness/descriptors/code.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "core/text.hpp"

namespace ke {
namespace {

constexpr std::size_t most_work = 2'000'000'000;  // some seconds
constexpr int most_around = 16;

// Parses `0000000000001000 <kernel>:`.
bool parse_header(std::string_view line, Function& function) {
  const std::size_t open = line.find(" <");
  if (open == std::string_view::npos || !line.ends_with(">:")) return false;
  const auto [end, error] = std::from_chars(line.data(), line.data() + open, function.start, 16);
  if (error != std::errc() || end != line.data() + open) return false;
  function.name = line.substr(open + 2, line.size() - open - 4);
  return true;
}

void finish(Function& function, std::uint64_t end) {
  for (std::size_t i = 0; i < function.code.size(); ++i) {
    const bool last = i + 1 == function.code.size();
    const std::uint64_t next = last ? end : function.code[i + 1].address;
    function.code[i].bytes = next - std::min(next, function.code[i].address);
  }
  while (!function.code.empty() && function.code.back().nop) function.code.pop_back();
}

// Control flow between the instructions of one function.
class FlowGraph {
 public:
  explicit FlowGraph(const Function& function)
      : next_(function.code.size()), before_(function.code.size()) {
    for (std::size_t i = 0; i < function.code.size(); ++i) {
      if (!function.code[i].leaves() && i + 1 < function.code.size()) connect(i, i + 1);
      const std::size_t target = function.jump_index(i);
      if (target < function.code.size()) connect(i, target);
    }
  }

  bool leads(std::size_t from, std::size_t to) const {
    return std::ranges::find(next_[from], to) != next_[from].end();
  }
  void remove(std::size_t from, std::size_t to) {
    std::erase(next_[from], to);
    std::erase(before_[to], from);
  }

  // Edges (from, to) whose target is still open in a search depth first: they close all loops.
  std::vector<std::pair<std::size_t, std::size_t>> closing() const {
    enum State : char { unseen, open, done };
    std::vector<State> state(next_.size(), unseen);
    std::vector<std::pair<std::size_t, std::size_t>> edges;
    for (std::size_t root = 0; root < next_.size(); ++root) {
      if (state[root] != unseen) continue;
      std::vector<std::pair<std::size_t, std::size_t>> path{{root, 0}};  // node, its next edge
      state[root] = open;
      while (!path.empty()) {
        auto& [node, edge] = path.back();
        if (edge == next_[node].size()) {
          state[node] = done;
          path.pop_back();
          continue;
        }
        const std::size_t to = next_[node][edge++];
        if (state[to] == open) edges.emplace_back(node, to);
        if (state[to] != unseen) continue;
        state[to] = open;
        path.emplace_back(to, 0);
      }
    }
    return edges;
  }

  // Whether every path from the entry to `node` passes `header`.
  bool dominates(std::size_t header, std::size_t node) const {
    return header == 0 || header == node || walk(next_, 0, header, 0, next_.size())[node] == 0;
  }
  // Everything in [first, end) that can reach `last` without passing `header`, including both;
  // empty if `header` does not lead to `last`.
  std::set<std::size_t> between(std::size_t header, std::size_t last, std::size_t first,
                                std::size_t end) const {
    const std::vector<char> seen = walk(before_, last, header, first, end);
    const bool closed =
        std::ranges::any_of(next_[header], [&](auto next) { return seen[next] != 0; });
    if (!closed && header != last) return {};
    std::set<std::size_t> body{header};
    for (std::size_t i = 0; i < seen.size(); ++i) {
      if (seen[i] != 0) body.insert(body.end(), i);
    }
    return body;
  }

 private:
  using Edges = std::vector<std::vector<std::size_t>>;
  void connect(std::size_t from, std::size_t to) {
    next_[from].push_back(to);
    before_[to].push_back(from);
  }
  // All nodes on paths from `start` within [first, end) that do not enter `barrier`.
  static std::vector<char> walk(const Edges& edges, std::size_t start, std::size_t barrier,
                                std::size_t first, std::size_t end) {
    std::vector<char> seen(edges.size(), 0);
    std::vector<std::size_t> open;
    if (start != barrier) open.push_back(start);
    while (!open.empty()) {
      const std::size_t node = open.back();
      open.pop_back();
      if (seen[node] != 0) continue;
      seen[node] = 1;
      for (const std::size_t other : edges[node]) {
        const bool inside = other >= first && other < end && other != barrier;
        if (inside && seen[other] == 0) open.push_back(other);
      }
    }
    return seen;
  }
  Edges next_;
  Edges before_;
};

// An instruction that goes on at the header of a loop, and what lies between the two.
struct Latch {
  std::size_t header = 0, last = 0;
  std::set<std::size_t> body;

  bool within(const Latch& outer) const {
    if (header == outer.header) return outer.body.contains(last) && !body.contains(outer.last);
    return outer.body.contains(header) && !body.contains(outer.header);
  }
};

// Whether `inner` is a version of the body of `outer` that goes on by itself until some step needs
// the other version: comparisons of the same counter leave `outer` from within `inner` and
// elsewhere.
bool is_version(const Function& function, const Latch& inner, const Latch& outer) {
  std::set<std::string_view> within, elsewhere;
  for (const std::size_t i : outer.body) {
    const Instruction& jump = function.code[i];
    if (i == 0 || !jump.jump || jump.leaves()) continue;
    const Instruction& test = function.code[i - 1];
    const bool stays = outer.body.contains(i + 1) && outer.body.contains(function.jump_index(i));
    if (stays || test.mnemonic != "cmp") continue;
    (inner.body.contains(i) ? within : elsewhere).insert(test.text);
  }
  return std::ranges::any_of(within, [&](auto test) { return elsewhere.contains(test); });
}

// Compilers enter loops in their midst: a test before the loop jumps to code behind an inner loop.
// Then no instruction dominates all others. A conditional jump back closes a loop there too, of
// what lies between its target and itself; other jumps back come from code that was moved away.
std::vector<Latch> find_latches(const Function& function) {
  FlowGraph graph(function);
  const std::size_t end = function.code.size();
  const auto closing = graph.closing();
  if (closing.size() * closing.size() * end > most_work) return {};
  std::vector<Latch> latches;
  for (const auto& [from, to] : closing) {
    if (graph.dominates(to, from)) latches.push_back({to, from, graph.between(to, from, 0, end)});
  }
  for (const Latch& latch : latches) graph.remove(latch.last, latch.header);
  for (std::size_t i = 0; i < end; ++i) {
    const std::size_t target = function.jump_index(i);
    if (target > i || function.code[i].leaves() || !graph.leads(i, target)) continue;
    latches.push_back({target, i, graph.between(target, i, target, i + 1)});
  }
  std::erase_if(latches, [](const Latch& latch) { return latch.body.empty(); });
  return latches;
}

// Two jumps to one place are an inner and an outer loop if one is on the way to the other, else two
// ends of one loop.
void join_ends(std::vector<Latch>& latches) {
  for (std::size_t i = 0; i < latches.size(); ++i) {
    for (std::size_t j = i + 1; j < latches.size();) {
      if (latches[i].header != latches[j].header || latches[i].within(latches[j]) ||
          latches[j].within(latches[i])) {
        ++j;
        continue;
      }
      latches[i].body.merge(latches[j].body);
      latches.erase(latches.begin() + static_cast<std::ptrdiff_t>(j));
    }
  }
}

std::vector<Loop> find_loops(const Function& function) {
  std::vector<Latch> latches = find_latches(function);
  join_ends(latches);
  const std::vector<Latch> all = latches;
  std::erase_if(latches, [&](const Latch& inner) {
    return std::ranges::any_of(all, [&](const Latch& outer) {
      return inner.within(outer) && is_version(function, inner, outer);
    });
  });
  for (Latch& outer : latches) {  // what jumps back within an inner loop belongs to the outer one
    for (const Latch& inner : all) {
      if (inner.within(outer)) outer.body.insert(inner.body.begin(), inner.body.end());
    }
  }
  std::vector<Loop> loops;
  for (const Latch& latch : latches) {
    Loop loop{latch.header, {latch.body.begin(), latch.body.end()}, 0, true};
    for (const Latch& other : latches) {
      if (latch.within(other)) ++loop.depth;
      if (other.within(latch)) loop.innermost = false;
    }
    loops.push_back(std::move(loop));
  }
  std::ranges::stable_sort(loops, {}, &Loop::header);
  return loops;
}

using Starts = std::map<std::uint64_t, std::size_t>;  // functions by address

Starts starts_of(const std::vector<Function>& functions) {
  Starts starts;
  for (std::size_t i = 0; i < functions.size(); ++i) starts[functions[i].start] = i;
  return starts;
}

/// Addresses that code names: of calls, jumps, and those taken.
template <class Visit>
void for_addresses(const Function& function, Visit visit) {
  for (std::size_t i = 0; i < function.code.size(); ++i) {
    if (function.code[i].target) visit(i, *function.code[i].target);
    if (function.code[i].reference) visit(i, *function.code[i].reference);
  }
}

// Sets `around`. Parts of a function that the compiler moved elsewhere jump into its midst, which
// is no call.
void find_loops_around(std::vector<Function>& functions) {
  struct Call {
    std::size_t caller, callee;
    int loops;
  };
  const Starts starts = starts_of(functions);
  std::vector<Call> calls;
  for (std::size_t caller = 0; caller < functions.size(); ++caller) {
    for_addresses(functions[caller], [&](std::size_t at, std::uint64_t address) {
      const auto found = starts.find(address);
      if (found == starts.end() || found->second == caller) return;
      calls.push_back({caller, found->second, functions[caller].loops_at(at)});
    });
  }
  for (int round = 0; round < most_around; ++round) {
    for (const Call& call : calls) {
      int& around = functions[call.callee].around;
      around = std::clamp(functions[call.caller].around + call.loops, around, most_around);
    }
  }
}

}  // namespace

int Function::loops_at(std::size_t index) const {
  return static_cast<int>(std::ranges::count_if(
      loops, [&](const Loop& loop) { return std::ranges::binary_search(loop.body, index); }));
}

std::size_t Function::jump_index(std::size_t index) const {
  const Instruction& jump = code[index];
  if (!jump.jump || !jump.target || *jump.target < start) return code.size();
  const auto at = std::ranges::lower_bound(code, *jump.target, {}, &Instruction::address);
  return static_cast<std::size_t>(at - code.begin());
}

std::vector<std::size_t> Function::own(const std::vector<std::size_t>& part, int depth) const {
  std::vector<std::size_t> indices;
  for (const std::size_t index : part) {
    if (loops_at(index) == depth) indices.push_back(index);
  }
  return indices;
}

std::vector<double> Function::frequencies(const std::vector<std::size_t>& part,
                                          std::size_t first) const {
  const auto start = std::ranges::lower_bound(part, first);
  std::vector<std::size_t> order(start, part.end());
  order.insert(order.end(), part.begin(), start);
  std::map<std::size_t, std::size_t> position;
  for (std::size_t i = 0; i < order.size(); ++i) position[order[i]] = i;
  std::map<std::size_t, double> share;
  if (!order.empty()) share[order.front()] = 1;
  for (std::size_t i = 0; i < order.size(); ++i) {
    std::vector<std::size_t> next;
    for (const std::size_t to :
         {code[order[i]].leaves() ? code.size() : order[i] + 1, jump_index(order[i])}) {
      const auto found = position.find(to);
      if (found != position.end() && found->second > i) next.push_back(to);
    }
    for (const std::size_t to : next) {
      share[to] += share[order[i]] / static_cast<double>(next.size());
    }
  }
  std::vector<double> values;
  for (const std::size_t index : part) values.push_back(share[index]);
  return values;
}

std::vector<Function> parse_functions(std::string_view text, std::uint64_t end) {
  std::vector<Function> functions;
  for (const std::string_view line : split(text, '\n')) {
    Function header;
    if (parse_header(line, header)) {
      functions.push_back(std::move(header));
    } else if (auto instruction = parse_instruction(line); instruction && !functions.empty()) {
      functions.back().code.push_back(*std::move(instruction));
    }
  }
  for (std::size_t i = 0; i < functions.size(); ++i) {
    finish(functions[i], i + 1 < functions.size() ? functions[i + 1].start : end);
  }
  return functions;
}

std::vector<Function> reached_functions(const std::vector<Function>& all, std::string_view entry,
                                        std::span<const std::uint64_t> pointers) {
  const auto first = std::ranges::find(all, entry, &Function::name);
  if (first == all.end()) return {};
  const Starts starts = starts_of(all);
  std::vector<std::size_t> found{static_cast<std::size_t>(first - all.begin())};
  std::vector<char> known(all.size(), 0);
  known[found[0]] = 1;
  const auto visit = [&](std::size_t, std::uint64_t address) {
    auto at = starts.upper_bound(address);
    if (at == starts.begin()) return;
    const std::size_t index = (--at)->second;
    const Code& code = all[index].code;
    if (known[index] != 0 || code.empty() || address > code.back().address) return;
    known[index] = 1;
    found.push_back(index);
  };
  for (const std::uint64_t pointer : pointers) visit(0, pointer);
  for (std::size_t next = 0; next < found.size(); ++next) for_addresses(all[found[next]], visit);
  std::ranges::sort(found);
  std::vector<Function> reached;
  for (const std::size_t index : found) {
    reached.push_back(all[index]);
    reached.back().loops = find_loops(reached.back());
  }
  find_loops_around(reached);
  return reached;
}

}  // namespace ke
