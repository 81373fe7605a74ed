#include "fitness/sandbox/spec.hpp"

namespace ke {

std::vector<std::string> sandbox_environment(const SandboxSpec& spec) {
  const std::string threads = std::to_string(spec.threads);
  std::vector<std::string> environment{"OMP_NUM_THREADS=" + threads, "OMP_THREAD_LIMIT=" + threads,
                                       "OMP_WAIT_POLICY=passive", "LC_ALL=C"};
  if (is_worker(spec.profile)) {
    // Restartable sequences would run code of a candidate whenever the judge continues it.
    environment.emplace_back("GLIBC_TUNABLES=glibc.pthread.rseq=0");
  } else {
    environment.emplace_back("PATH=/usr/bin:/bin");
    environment.push_back("TMPDIR=" + spec.working_dir);
  }
  return environment;
}

}  // namespace ke
