#include "fitness/reference/process.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

#include "core/countdown.hpp"
#include "fitness/sandbox/fd.hpp"
#include "fitness/sandbox/level.hpp"

namespace ke {
namespace {

using namespace std::chrono_literals;
using reference_wire::Answer;
using reference_wire::max_arguments;
using reference_wire::Request;
using reference_wire::slot_bytes;

constexpr std::chrono::seconds start_limit{20};  // for loading a library on a busy machine
constexpr std::int64_t patience = 10;            // factor on the limit, for the clock
constexpr std::size_t kept_bytes = std::size_t{64} << 20;
constexpr std::uint64_t all_slots = max_arguments * slot_bytes;

SandboxSpec sandbox_of(const ReferenceProgram& program, int socket, int memory) {
  SandboxSpec spec;
  spec.tools_dir = program.tools_dir;
  spec.argv = program.argv;
  spec.fds = {{socket, reference_wire::socket_fd}, {memory, reference_wire::memory_fd}};
  spec.read_only = runtime_paths();
  spec.read_only.push_back(program.argv[0]);
  spec.read_only.insert(spec.read_only.end(), program.readable.begin(), program.readable.end());
  spec.limits.address_space_bytes = all_slots + program.memory_bytes;
  spec.limits.cpu_seconds = std::uint64_t{1} << 30;  // each call has its own limit
  spec.limits.processes = program.threads;
  spec.profile = program.profile;
  spec.level = program.level;
  return spec;
}

std::size_t bytes_of_pages(std::size_t bytes) {
  static const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

std::int64_t cpu_ns(pid_t pid) {
  clockid_t clock{};
  timespec time{};
  if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &time) != 0) return 0;
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

Result<std::unique_ptr<ReferenceProcess>> ReferenceProcess::start(const ReferenceProgram& program) {
  std::unique_ptr<ReferenceProcess> made(new ReferenceProcess);
  made->memory_ = Fd(memfd_create("reference", MFD_CLOEXEC));
  if (!made->memory_ || ftruncate(made->memory_.get(), static_cast<off_t>(all_slots)) != 0) {
    return os_error("memory of a reference");
  }
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return os_error("socket of a reference");
  }
  made->socket_ = Fd(ends[0]);
  Fd theirs(ends[1]);
  KE_TRY(made->process_, spawn(sandbox_of(program, theirs.get(), made->memory_.get())));
  theirs.reset();  // otherwise nobody notices when the other end closes
  made->loaded_ = made->receive(start_limit);
  return made;
}

ReferenceProcess::~ReferenceProcess() {
  for (const Slot& slot : slots_) {
    if (slot.data != nullptr) munmap(slot.data, slot.bytes);
  }
}

bool ReferenceProcess::alive() const {
  pollfd ended{process_.pidfd(), POLLIN, 0};
  return process_.running() && poll(&ended, 1, 0) == 0;
}

void ReferenceProcess::follow_this_thread() const {
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof cores, &cores) != 0) return;
  sched_setaffinity(process_.pid(), sizeof cores, &cores);
}

std::size_t ReferenceProcess::front_bytes(std::size_t bytes) {
  return bytes_of_pages(bytes) - bytes;
}

Result<std::byte*> ReferenceProcess::tensor(std::size_t t, std::size_t bytes) {
  KE_CHECK(t < max_arguments);
  const std::size_t pages = bytes_of_pages(bytes);
  if (pages > reference_wire::slot_end) {
    return Error{Failure::config, fmt::format("a tensor of {} bytes in double precision is more "
                                              "than a reference takes: {}",
                                              bytes, reference_wire::slot_end)};
  }
  Slot& slot = slots_[t];
  if (slot.bytes < pages) {
    if (slot.data != nullptr) munmap(slot.data, slot.bytes);
    slot = {};
    void* area = mmap(nullptr, pages, PROT_READ | PROT_WRITE, MAP_SHARED, memory_.get(),
                      static_cast<off_t>(t * slot_bytes));
    if (area == MAP_FAILED) return os_error("memory of a reference");
    slot = {static_cast<std::byte*>(area), pages};
  }
  return slot.data + (pages - bytes);
}

void ReferenceProcess::release() {
  std::size_t bytes = 0;
  for (const Slot& slot : slots_) bytes += slot.bytes;
  if (bytes <= kept_bytes) return;
  for (std::size_t t = 0; t < max_arguments; ++t) {
    Slot& slot = slots_[t];
    if (slot.data == nullptr) continue;
    munmap(slot.data, slot.bytes);
    fallocate(memory_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
              static_cast<off_t>(t * slot_bytes), static_cast<off_t>(slot.bytes));
    slot = {};
  }
}

ReferenceEnd ReferenceProcess::call(const Request& request, std::chrono::nanoseconds limit) {
  if (send(socket_.get(), &request, sizeof request, MSG_NOSIGNAL) != sizeof request) return ended();
  ReferenceEnd end = receive(limit);
  if (end.kind == ReferenceEnd::Kind::answered && end.answer.kind != Answer::done) {
    process_.kill_all();
  }
  return end;
}

ReferenceEnd ReferenceProcess::receive(std::chrono::nanoseconds limit) {
  const std::int64_t cpu_limit = cpu_ns(process_.pid()) + limit.count();
  Countdown wall(patience * limit);
  for (;;) {
    const int wait_ms = wall.step();
    const std::int64_t cpu_left = cpu_limit - cpu_ns(process_.pid());
    if (wait_ms == 0 || cpu_left <= 0) {
      process_.kill_all();
      return {ReferenceEnd::Kind::timed_out, 0, {}};
    }
    pollfd readable{socket_.get(), POLLIN, 0};
    const auto soon = std::min<std::int64_t>(wait_ms, cpu_left / 1'000'000 + 1);
    if (poll(&readable, 1, static_cast<int>(soon)) > 0) break;
  }
  ReferenceEnd end;
  const ssize_t got = recv(socket_.get(), &end.answer, sizeof end.answer, 0);
  if (got != sizeof end.answer) return ended();
  end.answer.text[sizeof end.answer.text - 1] = '\0';
  return end;
}

ReferenceEnd ReferenceProcess::ended() {
  const SandboxExit exit = process_.wait(5s);
  process_.kill_all();
  if (exit.kind == SandboxExit::Kind::exited) return {ReferenceEnd::Kind::exited, exit.code, {}};
  if (exit.kind == SandboxExit::Kind::signalled)
    return {ReferenceEnd::Kind::signalled, exit.code, {}};
  return {ReferenceEnd::Kind::signalled, SIGKILL, {}};  // it closed the socket but kept running
}

}  // namespace ke
