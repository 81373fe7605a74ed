#include "experiments/run/stop_tokens.hpp"

#include <unistd.h>
#include <csignal>

#include "core/result.hpp"

namespace ke {
namespace {

// A signal handler can only access a lock-free global.
volatile std::sig_atomic_t caught = 0;
bool alive = false;

int code_of(int signal) { return 128 + (signal == SIGUSR1 ? SIGTERM : signal); }

void on_signal(int signal) {
  if (caught != 0) _exit(code_of(signal));
  caught = signal;
}

void install(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGUSR1, &action, nullptr);
}

}  // namespace

StopSignals::StopSignals() {
  KE_CHECK(!alive);
  alive = true;
  caught = 0;
  install(&on_signal);
}

StopSignals::~StopSignals() {
  install(SIG_DFL);
  alive = false;
}

bool StopSignals::stop_requested() const { return caught != 0; }
int StopSignals::exit_code() const { return code_of(static_cast<int>(caught)); }
bool StopSignals::out_of_time() const { return caught == SIGUSR1; }

}  // namespace ke
