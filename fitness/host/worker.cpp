#include "fitness/host/worker.hpp"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <thread>

#include "fitness/host/pocl_surroundings.hpp"
#include "fitness/sandbox/fd.hpp"
#include "fitness/sandbox/job.hpp"
#include "fitness/sandbox/level.hpp"
#include "fitness/timing/clock.hpp"

namespace ke {
namespace {

/// Registers that show a process's position and floating-point mode.
struct StoppedRegisters {
  std::uint64_t instruction = 0;
  std::uint64_t stack = 0;
  std::uint32_t mxcsr = 0;
  std::uint16_t x87_control = 0;
};

bool read_set(pid_t pid, int set, void* into, std::size_t bytes) {
  iovec part{into, bytes};
  return ptrace(static_cast<__ptrace_request>(PTRACE_GETREGSET), pid, set, &part) == 0;
}

std::optional<StoppedRegisters> read_attached(pid_t pid) {
  user_regs_struct general{};
  user_fpregs_struct floating{};
  if (!read_set(pid, NT_PRSTATUS, &general, sizeof general)) return std::nullopt;
  if (!read_set(pid, NT_PRFPREG, &floating, sizeof floating)) return std::nullopt;
  return StoppedRegisters{general.rip, general.rsp, floating.mxcsr, floating.cwd};
}

/// Attaches to a process stopped by SIGSTOP, reads its registers and detaches; it stays stopped.
/// Nothing when the system forbids it, or when the process was continued meanwhile.
std::optional<StoppedRegisters> read_registers(pid_t pid) {
  if (ptrace(PTRACE_SEIZE, pid, nullptr, nullptr) != 0) return std::nullopt;
  const auto registers = read_attached(pid);
  if (ptrace(PTRACE_DETACH, pid, nullptr, nullptr) == 0) return registers;
  // It runs: somebody continued it. Only a stopped process can be let go.
  siginfo_t info{};
  ptrace(PTRACE_INTERRUPT, pid, nullptr, nullptr);
  waitid(P_PID, static_cast<id_t>(pid), &info, WSTOPPED | WEXITED | WNOWAIT);
  ptrace(PTRACE_DETACH, pid, nullptr, nullptr);
  return std::nullopt;
}

/// Number of threads of a process; 0 when it is not visible.
int count_threads(pid_t pid) {
  const Fd file(open(fmt::format("/proc/{}/stat", pid).c_str(), O_RDONLY | O_CLOEXEC));
  char text[1024];
  const ssize_t got = file ? read(file.get(), text, sizeof text - 1) : 0;
  if (got <= 0) return 0;
  text[got] = '\0';
  // The name may contain anything, so count fields after its last parenthesis. Threads are the 20th
  // field [proc(5)], the 18th after the name.
  const char* field = std::strrchr(text, ')');
  for (int i = 0; field != nullptr && i < 18; ++i) field = std::strchr(field + 1, ' ');
  return field != nullptr ? std::atoi(field) : 0;
}

constexpr std::int64_t start_limit_ns =
    10'000'000'000;                           // a busy host may be slow to start a process
constexpr std::uint32_t status_flags = 0x3f;  // ignores sticky exception flags
constexpr std::uint32_t default_mxcsr = 0x1f80;
constexpr std::uint16_t default_x87 = 0x37f;

constexpr int most_suspensions = 20;  // of one worker that cannot be told from stops of its own
constexpr std::int64_t switches_of_stop = 1;
constexpr std::int64_t switches_of_inspection = 2;  // at most, some of them in the next round

/// Lets the calling thread run before the worker as soon as it wakes up, where both have a priority
/// of their own.
class Urgent {
 public:
  Urgent() {
    if (sched_getscheduler(0) != SCHED_RR || sched_getparam(0, &usual_) != 0) return;
    const sched_param higher{.sched_priority = usual_.sched_priority + 1};
    raised_ = sched_setparam(0, &higher) == 0;
  }
  Urgent(const Urgent&) = delete;
  Urgent& operator=(const Urgent&) = delete;
  ~Urgent() {
    if (raised_) sched_setparam(0, &usual_);
  }

 private:
  sched_param usual_{};
  bool raised_ = false;
};

// Sum over all threads of the second number of schedstat [proc(5)]. Takes some 10 us per thread.
std::int64_t waited_by(pid_t pid) {
  std::int64_t sum = 0;
  std::error_code gone;
  const std::string tasks = "/proc/" + std::to_string(pid) + "/task";
  for (const auto& task : std::filesystem::directory_iterator(tasks, gone)) {
    std::ifstream file(task.path() / "schedstat");
    std::int64_t ran = 0, waited = 0;
    if (file >> ran >> waited) sum += waited;
  }
  return sum;
}

std::size_t mappings_offset() { return sizeof(wire::Header); }
std::size_t launches_offset(const AddressPlan& plan) {
  return mappings_offset() + plan.mappings.size() * sizeof(wire::Mapping);
}

void write_launches(std::byte* control, const std::vector<wire::Launch>& launches) {
  KE_CHECK(launches.size() <= wire::max_launches);
  auto* header = reinterpret_cast<wire::Header*>(control);
  header->launch_count = launches.size();
  if (launches.empty()) return;
  std::memcpy(control + header->launches_offset, launches.data(),
              launches.size() * sizeof(wire::Launch));
}

Result<SharedMemory> control_memory(const WorkerSpec& spec) {
  const AddressPlan& plan = *spec.plan;
  const std::size_t launches =
      spec.launches == nullptr ? 0 : wire::max_launches * sizeof(wire::Launch);
  KE_TRY(SharedMemory memory,
         SharedMemory::create("control", launches_offset(plan) + launches, Sharing::read_only));
  wire::Header header;
  header.magic = wire::magic;
  header.sandbox_level = static_cast<std::uint64_t>(spec.lock ? spec.level : SandboxLevel::rlimits);
  header.threads = static_cast<std::uint64_t>(spec.threads);
  header.sets = plan.sets;
  header.address_bytes = plan.address_bytes;
  header.mapping_count = plan.mappings.size();
  header.mappings_offset = mappings_offset();
  header.launches_offset = launches == 0 ? 0 : launches_offset(plan);
  if (spec.library.size() >= sizeof header.library) {
    return Error{Failure::io, "path of the candidate's library is too long: " + spec.library};
  }
  std::memcpy(header.library, spec.library.data(), spec.library.size());
  std::memcpy(memory.data(), &header, sizeof header);
  std::memcpy(memory.data() + mappings_offset(), plan.mappings.data(),
              plan.mappings.size() * sizeof(wire::Mapping));
  if (spec.launches != nullptr) write_launches(memory.data(), *spec.launches);
  return memory;
}

// The pipe must hold a round's orders: the judge writes them while the worker is stopped.
Result<std::pair<Fd, Fd>> orders_pipe(std::size_t max_calls) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return os_error("cannot make a pipe");
  std::pair<Fd, Fd> pipe{Fd(ends[0]), Fd(ends[1])};
  const auto wanted = static_cast<int>((max_calls + 2) * sizeof(wire::Order));
  if (fcntl(ends[1], F_GETPIPE_SZ) < wanted && fcntl(ends[1], F_SETPIPE_SZ, wanted) < wanted)
    return os_error("cannot make a pipe large enough");
  if (fcntl(ends[1], F_SETFL, O_NONBLOCK) != 0) return os_error("cannot set up a pipe");
  return pipe;
}

SandboxSpec sandbox_spec(const WorkerSpec& spec, int control_fd, int orders_fd) {
  SandboxSpec sandbox;
  sandbox.tools_dir = spec.tools_dir;
  sandbox.argv = {spec.tools_dir + "/kernelevolve-worker"};
  sandbox.fds = {{control_fd, wire::control_fd},
                 {spec.input_fd, wire::input_fd},
                 {spec.output_fd, wire::output_fd},
                 {orders_fd, wire::orders_fd}};
  sandbox.read_only = runtime_paths();
  sandbox.read_only.push_back(sandbox.argv[0]);
  sandbox.read_only.push_back(spec.library);
  sandbox.read_only.insert(sandbox.read_only.end(), spec.readable.begin(), spec.readable.end());
  sandbox.limits.address_space_bytes =
      spec.plan->sets * spec.plan->address_bytes + (std::uint64_t{1} << 30);
  sandbox.limits.cpu_seconds = 600;
  sandbox.limits.processes = static_cast<std::uint64_t>(spec.threads);
  sandbox.profile = SandboxProfile::worker;
  sandbox.level = spec.level;
  sandbox.threads = spec.threads;
  return sandbox;
}

// PyTorch maps gigabytes before it computes anything, starts thread pools, and compiles.
constexpr std::uint64_t program_bytes = std::uint64_t{32} << 30;
constexpr std::uint64_t program_processes = 64;
constexpr std::uint64_t program_files = 1024;
constexpr std::uint64_t program_file_bytes = std::uint64_t{1} << 30;

void run_program_instead(SandboxSpec& sandbox, const WorkerProgram& program) {
  sandbox.argv = program.argv;
  std::set<std::string> readable{program.argv[0]};
  for (const auto& paths : {runtime_paths(), toolchain_paths(), program.readable}) {
    readable.insert(paths.begin(), paths.end());
  }
  sandbox.read_only.assign(readable.begin(), readable.end());
  sandbox.writable = {{program.working_dir, 0, true}};
  sandbox.working_dir = program.working_dir;
  sandbox.limits.address_space_bytes += program_bytes;
  sandbox.limits.processes = program_processes;
  sandbox.limits.open_files = program_files;
  sandbox.limits.file_bytes = program_file_bytes;
  sandbox.limits.cpu_seconds = std::uint64_t{1} << 30;  // each round has its own limit
  sandbox.profile = SandboxProfile::baseline;
}

}  // namespace

Result<Worker> Worker::start(const WorkerSpec& spec, Watchdog& watchdog) {
  Worker worker;
  KE_TRY(worker.control_, control_memory(spec));
  KE_TRY(auto pipe, orders_pipe(spec.plan->max_calls));
  worker.orders_read_ = std::move(pipe.first);
  worker.orders_write_ = std::move(pipe.second);
  SandboxSpec sandbox = sandbox_spec(spec, worker.control_.fd(), worker.orders_read_.get());
  if (spec.launches != nullptr) {
    KE_TRY(auto folder, JobFolder::create(spec.scratch));
    worker.folder_ = std::make_unique<JobFolder>(std::move(folder));
    allow_pocl(sandbox, worker.folder_->path());
    sandbox.profile = SandboxProfile::unpacking_worker;
    sandbox.working_dir = worker.folder_->path();
  }
  if (spec.program != nullptr) run_program_instead(sandbox, *spec.program);
  KE_TRY(worker.process_, spawn(sandbox));
  worker.watchdog_ = &watchdog;
  worker.load_limit_ns_ = spec.load_limit_ns;
  worker.threads_ = spec.threads;
  worker.locked_ = spec.lock && spec.level != SandboxLevel::rlimits && spec.program == nullptr;
  worker.max_calls_ = spec.plan->max_calls;
  clock_getcpuclockid(worker.process_.pid(), &worker.cpu_clock_);
  watchdog.arm(worker.process_.pidfd(), now_ns() + start_limit_ns);
  const Round first = worker.wait_for_stop();
  watchdog.disarm();
  if (first.end != Round::End::stopped)
    return Error{Failure::io,
                 fmt::format("the worker program {} did not start: {} {}", sandbox.argv.front(),
                             first.end == Round::End::exited ? "exit code" : "signal", first.code)};
  // No foreign code has run yet, so this is where an honest worker stops.
  if (const auto registers = read_registers(worker.pid())) {
    worker.stop_address_ = registers->instruction;
    worker.stop_stack_ = registers->stack;
  }
  return worker;
}

Round Worker::wait_for_stop() {
  siginfo_t info{};
  while (syscall(SYS_waitid, P_PID, pid(), &info, WSTOPPED | WEXITED | WNOWAIT, &used_) != 0 &&
         errno == EINTR) {
  }
  Round round;
  if (info.si_code == CLD_STOPPED || info.si_code == CLD_TRAPPED) return round;
  round.end = info.si_code == CLD_EXITED ? Round::End::exited : Round::End::signalled;
  round.code = info.si_status;
  return round;
}

std::size_t Worker::orders_untaken() const {
  int bytes = 0;
  ioctl(orders_read_.get(), FIONREAD, &bytes);
  return static_cast<std::size_t>(bytes) / sizeof(wire::Order);
}

// Makes sure that the worker is stopped before it gets orders. False when it had been continued by
// somebody else: it then waited for orders.
bool Worker::settle() {
  siginfo_t info{};
  syscall(SYS_waitid, P_PID, pid(), &info, WSTOPPED | WEXITED | WNOHANG | WNOWAIT, &used_);
  if (info.si_pid != 0) return true;
  process_.signal(SIGSTOP);
  wait_for_stop();
  return false;
}

void Worker::interrupt(const Interruption& interruption) {
  {
    const Urgent urgent;
    std::this_thread::sleep_for(std::chrono::nanoseconds(interruption.after_ns));
    process_.signal(SIGSTOP);
  }
  if (wait_for_stop().end != Round::End::stopped) return;
  const std::size_t left = orders_untaken();
  interruption.look(sent_ - left);
  // If the round ended first, the next SIGCONT cancels this stop.
  if (left > 0 || stopped_elsewhere()) pass_stop();
}

// Lets the worker go on from a stop that is no end of a round.
void Worker::pass_stop() {
  siginfo_t info{};
  waitid(P_PID, static_cast<id_t>(pid()), &info, WSTOPPED | WNOHANG);
  process_.signal(SIGCONT);
}

/// Whether the worker is stopped at another place than an honest one; false where nobody can tell.
bool Worker::stopped_elsewhere() const {
  const auto registers = stop_address_ != 0 ? read_registers(pid()) : std::nullopt;
  return registers && registers->instruction != stop_address_;
}

// A stop before all orders are taken is no end of a round. A locked worker can stop itself only
// where an honest one does, so a stop elsewhere came from somebody else, who wants it to go on in
// the end.
void Worker::go_on(Round& round) {
  while (round.end == Round::End::stopped && orders_untaken() > 0) {
    const bool begun = orders_untaken() < sent_;
    const bool own = begun && stop_address_ != 0 && !stopped_elsewhere();
    if (own || ++suspensions_ > most_suspensions) {
      round.orders_left = true;
      return;
    }
    pass_stop();
    round = wait_for_stop();
    round.suspended = true;
  }
}

Round Worker::resume(std::int64_t limit_ns, const Interruption* interruption) {
  siginfo_t info{};
  // Consumes the notification of the last stop; leaves the zombie of an ended process.
  waitid(P_PID, static_cast<id_t>(pid()), &info, WSTOPPED | WNOHANG);
  const std::int64_t waited_before = threads_ > 1 ? waited_by(pid()) : 0;
  const std::int64_t cpu_before = clock_ns(cpu_clock_);
  const rusage used_before = used_;
  const std::int64_t before = now_ns();
  watchdog_->arm(process_.pidfd(), before + limit_ns);
  process_.signal(SIGCONT);
  if (interruption != nullptr) interrupt(*interruption);
  Round round = wait_for_stop();
  const std::int64_t after = now_ns();
  go_on(round);
  round.span_ns = after - before;
  round.cpu_ns = clock_ns(cpu_clock_) - cpu_before;
  if (threads_ > 1) round.waited_ns = std::max<std::int64_t>(waited_by(pid()) - waited_before, 0);
  const std::int64_t of_judge = switches_of_stop + switches_of_inspection * inspections_;
  round.own_switches = std::max<std::int64_t>(used_.ru_nvcsw - used_before.ru_nvcsw - of_judge, 0);
  inspections_ = 0;
  round.suspended = round.suspended || !settled_ || watchdog_->stood_still(before);
  if (watchdog_->disarm()) round.end = Round::End::timed_out;
  return round;
}

Round Worker::load() { return order(wire::Order::load, {wire::Call{}}, load_limit_ns_); }

Round Worker::run(const std::vector<wire::Call>& calls, const std::vector<wire::Launch>& launches,
                  std::int64_t limit_ns, const Interruption* interruption) {
  KE_CHECK(calls.size() <= max_calls_);
  write_launches(control_.data(), launches);
  send(wire::Order::kernel, calls);
  return resume(limit_ns, interruption);
}

// The pipe is full only if the worker has ended or ignores its orders; the end of its round reveals
// which.
void Worker::send(wire::Order::Kind kind, const std::vector<wire::Call>& calls) {
  std::vector<wire::Order> orders;
  for (const wire::Call& call : calls) orders.push_back({kind, call});
  orders.push_back({wire::Order::stop, {}});
  sent_ = orders.size();
  settled_ = settle();
  const ssize_t sent =
      write(orders_write_.get(), orders.data(), orders.size() * sizeof(wire::Order));
  static_cast<void>(sent);
}

Round Worker::order(wire::Order::Kind kind, const std::vector<wire::Call>& calls,
                    std::int64_t limit_ns) {
  send(kind, calls);
  return resume(limit_ns);
}

Inspection Worker::inspect() {
  ++inspections_;
  Inspection seen = look();
  // A locked worker stops itself at one place alone, so somebody else stopped this one just before.
  for (int i = 0; locked_ && !seen.at_stop_site && i < most_suspensions; ++i) {
    watchdog_->arm(process_.pidfd(), now_ns() + start_limit_ns);
    pass_stop();
    const Round round = wait_for_stop();
    if (watchdog_->disarm() || round.end != Round::End::stopped) break;
    seen = look();
  }
  return seen;
}

Inspection Worker::look() const {
  Inspection seen;
  seen.threads = count_threads(pid());
  const auto registers = stop_address_ != 0 ? read_registers(pid()) : std::nullopt;
  if (!registers) return seen;
  seen.registers_read = true;
  seen.at_stop_site = registers->instruction == stop_address_ && registers->stack == stop_stack_;
  seen.float_control =
      (registers->mxcsr & ~status_flags) == default_mxcsr && registers->x87_control == default_x87;
  return seen;
}

}  // namespace ke
