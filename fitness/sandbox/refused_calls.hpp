#pragma once
// System calls that a locked worker must not make: they wait, or stop the process. The worker ends
// with an exit status that names the call.

#include <linux/futex.h>
#include <sys/syscall.h>

#include <cstddef>
#include <string_view>

namespace ke {

struct RefusedCall {
  int number;
  const char* name;
};

/// Calls that wait for time to pass. A kernel that waits chooses which of its samples look
/// disturbed.
inline constexpr RefusedCall sleeping_calls[] = {{SYS_nanosleep, "nanosleep"},
                                                 {SYS_clock_nanosleep, "clock_nanosleep"},
                                                 {SYS_poll, "poll"},
                                                 {SYS_ppoll, "ppoll"},
                                                 {SYS_select, "select"},
                                                 {SYS_pselect6, "pselect6"},
                                                 {SYS_epoll_wait, "epoll_wait"},
                                                 {SYS_epoll_pwait, "epoll_pwait"},
                                                 {SYS_pause, "pause"}};

/// Calls by which threads wait for each other; refused where there is one thread.
inline constexpr RefusedCall yielding_calls[] = {{SYS_sched_yield, "sched_yield"},
                                                 {SYS_futex, "futex (a wait)"}};

/// Operations of futex that wait.
inline constexpr int futex_waits[] = {FUTEX_WAIT, FUTEX_WAIT_BITSET, FUTEX_LOCK_PI, FUTEX_LOCK_PI2,
                                      FUTEX_WAIT_REQUEUE_PI};

inline constexpr int first_refusal = 64;     ///< exit statuses from here on name a call
inline constexpr int stopping_refusal = 63;  ///< exit status for a stop of the kernel's own

/// Exit status for a refused call.
constexpr int refusal_status(long number) {
  int status = first_refusal;
  for (const RefusedCall& call : sleeping_calls) {
    if (call.number == number) return status;
    ++status;
  }
  for (const RefusedCall& call : yielding_calls) {
    if (call.number == number) return status;
    ++status;
  }
  return stopping_refusal;
}

/// Name of the call that an exit status stands for; "" for others.
constexpr std::string_view refused_call(int status) {
  int at = first_refusal;
  for (const RefusedCall& call : sleeping_calls) {
    if (at++ == status) return call.name;
  }
  for (const RefusedCall& call : yielding_calls) {
    if (at++ == status) return call.name;
  }
  return {};
}

}  // namespace ke
