#include "fitness/host/session.hpp"

#include <fmt/core.h>
#include <signal.h>

#include <algorithm>
#include <iterator>

#include "fitness/sandbox/refused_calls.hpp"

namespace ke {
namespace {

struct SignalName {
  int signal;
  const char* reason;
  const char* text;
};

constexpr SignalName signal_names[] = {
    {SIGSEGV, "crash_sigsegv", "invalid memory access (out of bounds, or a write to an input)"},
    {SIGBUS, "crash_sigbus", "misaligned or impossible memory access"},
    {SIGFPE, "crash_sigfpe", "arithmetic trap, such as an integer division by zero"},
    {SIGILL, "crash_sigill", "illegal instruction"},
    {SIGABRT, "crash_sigabrt", "abort"},
    {SIGTRAP, "crash_sigtrap", "trap instruction"},
};

Finding killed(int signal, bool loading) {
  const char* when = loading ? "while loading" : "in the kernel";
  if (signal == SIGSYS) {
    return {Verdict::rejected, "sandbox_violation", fmt::format("forbidden system call {}", when)};
  }
  if (signal == SIGXCPU) {
    return {Verdict::resource_limit, "killed",
            fmt::format("killed for its use of processor time {}", when)};
  }
  // Watchdog and limits of the judge end a worker otherwise.
  if (signal == SIGKILL) {
    return {Verdict::lost, "killed_from_outside",
            fmt::format("something outside the judge killed the process {}", when)};
  }
  const Verdict verdict = loading ? Verdict::load_error : Verdict::runtime_error;
  for (const SignalName& known : signal_names) {
    if (known.signal == signal) {
      return {verdict, known.reason, fmt::format("{} {}", known.text, when)};
    }
  }
  return {verdict, "crash_signal", fmt::format("signal {} {}", signal, when)};
}

/// The finding for a worker that stopped where no honest one does.
Finding stopped_early() {
  return {Verdict::suspicious, "stopped_early",
          "the process was stopped by something other than the end of the call"};
}

/// The finding for a worker that ended by itself.
Finding exited(int status) {
  if (status == stopping_refusal) return stopped_early();
  if (const std::string_view call = refused_call(status); !call.empty()) {
    return {Verdict::rejected, "sandbox_violation",
            fmt::format("the kernel calls {}: a kernel must not wait", call)};
  }
  const int broken = status - wire::broken_convention;
  if (broken == wire::mxcsr || broken == wire::x87_control) {
    return {Verdict::wrong_result, "float_environment",
            "rounding mode, exception masks or flush-to-zero were left changed"};
  }
  if (broken >= 0 && broken < static_cast<int>(std::size(wire::kept_by_calls))) {
    return {Verdict::runtime_error, "calling_convention",
            fmt::format("the kernel returned without restoring {}, which its caller relies on",
                        wire::kept_by_calls[broken])};
  }
  return {Verdict::runtime_error, "exited", "the kernel ended its process"};
}

/// The finding for a round that did not end as it should. `loading`: the load failed, not a call.
std::optional<Finding> finding_of(const Round& round, bool loading) {
  switch (round.end) {
    case Round::End::stopped:
      if (round.orders_left) return stopped_early();
      return std::nullopt;
    case Round::End::timed_out:
      return Finding{Verdict::timeout, loading ? "load_timeout" : "call_timeout",
                     fmt::format("{} after {:.1f} s", loading ? "still loading" : "no answer",
                                 static_cast<double>(round.span_ns) * 1e-9)};
    case Round::End::exited:
      if (loading) return Finding{Verdict::load_error, "exited", "the library did not load"};
      return exited(round.code);
    case Round::End::signalled: return killed(round.code, loading);
  }
  return std::nullopt;
}

/// The finding for a worker that works on calls in another order than it is told.
Finding reads_ahead() {
  return {Verdict::suspicious, "reads_ahead",
          "a call was begun before the calls ahead of it were done"};
}

/// The finding for a stopped worker's state.
std::optional<Finding> finding_of(const Inspection& seen, int threads_allowed) {
  if (seen.threads > threads_allowed) {
    return Finding{Verdict::runtime_error, "extra_threads",
                   fmt::format("{} threads, {} allowed", seen.threads, threads_allowed)};
  }
  if (!seen.at_stop_site) return stopped_early();
  if (!seen.float_control) {
    return Finding{Verdict::wrong_result, "float_environment",
                   "rounding mode, exception masks or flush-to-zero were left changed"};
  }
  return std::nullopt;
}

// Maps small sessions several times, so that one content appears at several addresses. The slots of
// large ones give several addresses anyway, and one mapping keeps the page tables small.
int sets_for(std::size_t bytes) {
  constexpr std::size_t memory_budget = std::size_t{48} << 20;
  return static_cast<int>(
      std::clamp<std::size_t>(memory_budget / std::max<std::size_t>(bytes, 1), 1, 4));
}

std::size_t bytes_of(const std::vector<SlotRequest>& requests) {
  std::int64_t sum = 0;
  for (const SlotRequest& request : requests) sum += request.shapes->bytes() * request.slots;
  return static_cast<std::size_t>(sum);
}

// For importing PyTorch, or compiling a module at its first call.
constexpr std::int64_t python_limit_ns = 300'000'000'000;

bool of_same_shape(const Content& one, const Content& other) {
  if (one.shapes == other.shapes) return true;
  return std::ranges::equal(one.shapes->tensors, other.shapes->tensors, {}, &TensorShape::dims,
                            &TensorShape::dims);
}

}  // namespace

Result<Session> Session::open(const Bench& bench, const std::vector<SlotRequest>& requests,
                              const std::vector<Library>& libraries) {
  Session session;
  session.bench_ = &bench;
  KE_TRY(auto arena,
         Arena::create(*bench.task, requests, static_cast<int>(libraries.size()),
                       sets_for(bytes_of(requests)), *bench.memory, bench.contents->random()));
  session.arena_ = std::make_unique<Arena>(std::move(arena));
  for (std::size_t i = 0; i < libraries.size(); ++i) {
    KE_TRY(Arm arm, start(bench, requests, libraries[i], *session.arena_, static_cast<int>(i)));
    session.arms_.push_back(std::move(arm));
  }
  return session;
}

Result<Session::Arm> Session::start(const Bench& bench, const std::vector<SlotRequest>& requests,
                                    const Library& library, const Arena& arena, int number) {
  Arm arm;
  arm.trusted = library.trusted;
  arm.prepares = library.prepares;
  arm.launches = library.launches;
  WorkerSpec spec;
  if (!library.python.empty()) {
    std::vector<const Shapes*> shapes;
    for (const SlotRequest& request : requests) shapes.push_back(request.shapes.get());
    KE_TRY(arm.python,
           PythonBaseline::create(bench, library.python, library.bytes, shapes, arena.plan()));
    spec.program = &arm.python->program();
  } else {
    KE_TRY(auto file, TemporaryFile::write(bench.scratch, ".so", library.bytes));
    arm.library = std::make_unique<TemporaryFile>(std::move(file));
    spec.library = arm.library->path();
  }
  spec.tools_dir = bench.tools_dir;
  spec.level = bench.level;
  spec.scratch = bench.scratch;
  spec.threads = bench.threads();
  if (arm.launches) spec.launches = &arm.launches->prepared;
  spec.lock = !arm.trusted;
  if (arm.trusted) spec.readable = bench.readable;
  spec.plan = &arena.plan();
  spec.input_fd = arena.input_fd();
  spec.output_fd = arena.output_fd(number);
  spec.load_limit_ns = arm.python ? python_limit_ns : bench.load_limit_ns;
  KE_TRY(arm.worker, Worker::start(spec, *bench.watchdog));
  arm.loaded = finding_of_arm(arm, arm.worker.load(), true);
  if (!arm.loaded) arm.loaded = finding_of(inspect(arm), bench.threads());
  return arm;
}

// A Python baseline leaves the text of an exception before it ends.
std::optional<Finding> Session::finding_of_arm(const Arm& arm, const Round& round, bool loading) {
  auto finding = finding_of(round, loading);
  if (finding && arm.python) {
    const std::string failure = arm.python->failure();
    finding->message =
        failure.empty() ? "process of the baseline in Python: " + finding->message : failure;
  }
  return finding;
}

std::int64_t Session::first_call_ns(int arm, std::int64_t usual_ns) const {
  return at(arm).python ? python_limit_ns : usual_ns;
}

// A fresh process has prepared nothing, so its first contents always need a preparation.
void Session::prepare(Arm& arm, const Placed& first) {
  const auto& unchanging = first.content.entry->unchanging;
  if (!arm.prepares || !unchanging || arm.prepared == unchanging || arm.loaded) return;
  arm.prepared = unchanging;
  arena_->write_unchanging(first.seat, first.content);
  const auto set = static_cast<int>(bench_->contents->random().below(arena_->plan().sets));
  const Round round = arm.worker.order(wire::Order::prepare, {arena_->preparation(first.seat, set)},
                                       arm.python ? python_limit_ns : bench_->call_limit_ns);
  arm.preparation = finding_of_arm(arm, round, false);
  if (!arm.preparation) arm.preparation = finding_of(inspect(arm), bench_->threads());
  if (arm.preparation) arm.preparation->message = "prepare: " + arm.preparation->message;
  arm.spent_ns += round.span_ns;
  const auto [best, first_one] = arm.preparation_ns.try_emplace(first.seat.group, round.span_ns);
  if (!first_one) best->second = std::min(best->second, round.span_ns);
}

std::optional<std::int64_t> Session::preparation_ns(int arm, int group) const {
  const auto& known = at(arm).preparation_ns;
  const auto found = known.find(group);
  return found == known.end() ? std::nullopt : std::optional(found->second);
}

void Session::place(std::span<const Placed> placed) {
  if (placed.empty()) return;
  fill_seed_ = bench_->contents->random().bits();
  before_ = std::move(last_);
  last_ = placed.size() == 1 ? placed.front().content : FreshContent{};
  for (Arm& arm : arms_) prepare(arm, placed.front());
  for (const Placed& one : placed) {
    KE_CHECK(one.content.entry->unchanging == placed.front().content.entry->unchanging);
    arena_->write_inputs(one.seat, one.content);
  }
}

std::optional<Finding> Session::judge_outputs(int arm, std::span<const Placed> placed,
                                              const Workload& workload, const RoundRules& rules) {
  SecretRandom& random = bench_->contents->random();
  const std::int64_t first = calls(arm) - static_cast<std::int64_t>(placed.size()) + 1;
  for (std::size_t i = 0; i < placed.size(); ++i) {
    const Placed& one = placed[i];
    const auto outputs = arena_->outputs(one.seat, arm);
    std::optional<Finding> finding;
    if (!arena_->canaries_stand(one.seat, arm)) {
      finding = Finding{Verdict::wrong_result, "out_of_bounds_write",
                        "bytes beside an output were overwritten"};
    } else if (auto mismatch = rules.spots ? spot_compare(one.content, outputs, random.bits())
                                           : compare(one.content, outputs)) {
      finding = Finding{Verdict::wrong_result, "mismatch", ""};
      finding->mismatch = std::move(mismatch);
    }
    if (finding) {
      locate(*finding, workload, one.content.entry->label, name(one.seat.side),
             first + static_cast<std::int64_t>(i));
      return finding;
    }
    if (rules.measure_margin) margin_ = std::max(margin_, worst_ratio(one.content, outputs));
  }
  return std::nullopt;
}

Inspection Session::inspect(Arm& arm) {
  if (arm.python) return {.registers_read = true};
  const Inspection seen = arm.worker.inspect();
  arm.unchecked = arm.unchecked || !seen.registers_read || seen.threads == 0;
  return seen;
}

// Checks the stop first: outputs of a call that has not ended mean nothing. Then checks the
// outputs; if they are wrong, inspects the worker in any round.
std::optional<Finding> Session::judge_stop(int arm, std::span<const Placed> placed,
                                           const Workload& workload, const RoundRules& rules) {
  Arm& state = at(arm);
  std::optional<Inspection> seen;
  if (rules.inspect) seen = inspect(state);
  if (seen && !seen->at_stop_site) return stopped_early();
  if (auto finding = judge_outputs(arm, placed, workload, rules)) {
    if (!seen) seen = inspect(state);
    return seen->at_stop_site ? finding : stopped_early();
  }
  return seen ? finding_of(*seen, bench_->threads()) : std::nullopt;
}

/// Another content of the same shape: the one before, or one of the same round. Null without any.
const FreshContent* Session::other_than(const Placed& one, std::span<const Placed> placed) {
  const auto differs = [&](const std::shared_ptr<const Content>& entry) {
    return entry && entry != one.content.entry && of_same_shape(*entry, *one.content.entry);
  };
  if (differs(before_.entry)) return &before_;
  for (const Placed& other : placed) {
    if (!differs(other.content.entry)) continue;
    answer_ = untransformed(other.content.entry);
    return &answer_;
  }
  return nullptr;
}

// A kernel that leaves its output as it is must not be right: where the right answer may lie there
// already, other bytes do.
void Session::fill(int arm, std::span<const Placed> placed) {
  std::uint64_t seed = fill_seed_;
  for (const Placed& one : placed) {
    seed = (seed ^ (seed >> 29)) * 0xbf58476d1ce4e5b9 + 1;
    FillKind kind = random_fill_kind(seed >> 32);
    auto& called = called_[{arm, one.seat.group, one.seat.slot}];
    if (kind == FillKind::kept && (!called || called == one.content.entry)) kind = FillKind::floats;
    const FreshContent* const other = kind == FillKind::answer ? other_than(one, placed) : nullptr;
    if (kind == FillKind::answer && other == nullptr) kind = FillKind::floats;
    arena_->fill(one.seat, arm, kind, seed, other);
    called = one.content.entry;
  }
}

std::uint64_t Session::sum_of(int arm, const Placed& one) const {
  const Shapes& shapes = one.content.shapes();
  const auto outputs = arena_->outputs(one.seat, arm);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto bytes = static_cast<std::size_t>(shapes.tensors[shapes.inputs + i].bytes);
    sum = sum * 3 + checksum({outputs[i], bytes});
  }
  return sum;
}

// The call of the last order taken is in progress. Those before it must be done, and nothing of
// those behind it may be written: whoever knows later calls could share or hide their work.
void Session::watch(int arm, std::span<const Placed> placed, Watched& watched) {
  for (std::size_t i = 0; i < placed.size(); ++i) {
    if (i + 1 == watched.taken) continue;
    const bool done = i < watched.taken;
    const bool right = done ? !compare(placed[i].content, arena_->outputs(placed[i].seat, arm))
                            : sum_of(arm, placed[i]) == watched.sums[i];
    watched.unordered = watched.unordered || !right;
  }
}

Sample Session::run(int arm, std::span<const Placed> placed, const Workload& workload,
                    const RoundRules& rules) {
  SecretRandom& random = bench_->contents->random();
  std::vector<wire::Call> calls;
  calls.reserve(placed.size());
  fill(arm, placed);
  for (const Placed& one : placed) {
    const auto any_set = static_cast<int>(random.below(arena_->plan().sets));
    calls.push_back(arena_->call(one.seat, one.seat.set < 0 ? any_set : one.seat.set));
  }
  if (rules.cold) {
    for (const Placed& one : placed) arena_->chill(one.seat, arm);
  }
  Arm& state = at(arm);
  std::vector<wire::Launch> launches;
  if (state.launches) {
    auto resolved = state.launches->at(workload);
    if (!resolved) {
      return {{}, Finding{Verdict::rejected, "bad_plan", resolved.error().message}};
    }
    launches = *std::move(resolved);
  }
  Sample sample;
  Watched watched;
  Interruption interruption{rules.interrupt_ns, [&](std::size_t taken) {
                              watched.taken = taken;
                              watch(arm, placed, watched);
                            }};
  if (rules.interrupt_ns > 0) {
    for (const Placed& one : placed) watched.sums.push_back(sum_of(arm, one));
  }
  sample.finding = state.preparation;
  if (state.python && !sample.finding) {
    const Round round = state.worker.order(wire::Order::copy_inputs, calls, python_limit_ns);
    sample.finding = finding_of_arm(state, round, false);
  }
  if (!sample.finding) {
    const Round round = state.worker.run(calls, launches, rules.limit_ns,
                                         rules.interrupt_ns > 0 ? &interruption : nullptr);
    sample = {round, finding_of_arm(state, round, false)};
    if (state.python && !sample.finding) {
      const Round delivery =
          state.worker.order(wire::Order::deliver, {wire::Call{}}, python_limit_ns);
      sample.finding = finding_of_arm(state, delivery, false);
    }
  }
  state.calls += static_cast<std::int64_t>(placed.size());
  // A round that ended in time took at most its limit; any excess means the machine was suspended.
  state.spent_ns += std::min(sample.span_ns, rules.limit_ns);
  if (!sample.finding) sample.finding = judge_stop(arm, placed, workload, rules);
  // Outputs that are wrong in the end are found above; these were right in the end alone.
  if (!sample.finding && watched.unordered) sample.finding = reads_ahead();
  if (sample.finding && sample.finding->call == 0) {
    const Placed& last = placed.back();
    locate(*sample.finding, workload, last.content.entry->label, name(last.seat.side), state.calls);
  }
  return sample;
}

std::int64_t Session::empty_round(int arm) {
  return at(arm).worker.run({}, {}, bench_->call_limit_ns).span_ns;
}

std::vector<std::byte> Session::written(int arm, const Placed& placed, const Shapes& shapes) const {
  std::vector<std::byte> bytes;
  const auto outputs = arena_->outputs(placed.seat, arm);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto count = static_cast<std::size_t>(shapes.tensors[shapes.inputs + i].bytes);
    bytes.insert(bytes.end(), outputs[i], outputs[i] + count);
  }
  return bytes;
}

}  // namespace ke
