#include "fitness/host/worker_finding.hpp"

#include <fmt/core.h>
#include <signal.h>

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
  if (signal == SIGKILL || signal == SIGXCPU) {
    return {Verdict::resource_limit, "killed",
            fmt::format("killed for its use of resources {}", when)};
  }
  const Verdict verdict = loading ? Verdict::load_error : Verdict::runtime_error;
  for (const SignalName& known : signal_names) {
    if (known.signal == signal) {
      return {verdict, known.reason, fmt::format("{} {}", known.text, when)};
    }
  }
  return {verdict, "crash_signal", fmt::format("signal {} {}", signal, when)};
}

}  // namespace

std::optional<Finding> finding_of(const Round& round, bool loading) {
  switch (round.end) {
    case Round::End::stopped: return std::nullopt;
    case Round::End::timed_out:
      return Finding{Verdict::timeout, loading ? "load_timeout" : "call_timeout",
                     fmt::format("{} after {:.1f} s", loading ? "still loading" : "no answer",
                                 static_cast<double>(round.span_ns) * 1e-9)};
    case Round::End::exited:
      if (loading) return Finding{Verdict::load_error, "exited", "the library did not load"};
      return Finding{Verdict::runtime_error, "exited", "the kernel ended its process"};
    case Round::End::signalled: return killed(round.code, loading);
  }
  return std::nullopt;
}

Finding stopped_early() {
  return {Verdict::suspicious, "stopped_early",
          "the process was stopped by something other than the end of the call"};
}

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

}  // namespace ke
