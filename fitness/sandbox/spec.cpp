#include "fitness/sandbox/spec.hpp"

namespace ke {

std::string_view name(SandboxLevel level) {
  switch (level) {
    case SandboxLevel::rlimits: return "rlimits";
    case SandboxLevel::landlock: return "landlock";
    case SandboxLevel::namespaces: return "namespaces";
  }
  return "unknown";
}

void SandboxSpec::encode(Encoder& out) const {
  out(argv)(fds)(
      read_only)(writable)(working_dir)(limits)(profile)(level)(threads)(proc)(cgroup_procs);
}

void SandboxSpec::decode(Decoder& in) {
  in(argv)(fds)(read_only)(writable)(working_dir)(limits)(profile)(level)(threads)(proc)(cgroup_procs);
}

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
