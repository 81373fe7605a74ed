#include "core/job.hpp"

namespace ke {

std::string_view to_string(JobKind kind) {
  switch (kind) {
    case JobKind::build: return "build";
    case JobKind::screen: return "screen";
    case JobKind::duel: return "duel";
    case JobKind::verify: return "verify";
    case JobKind::sanitize: return "sanitize";
    case JobKind::probe: break;
  }
  return "probe";
}

Digest build_key(const Digest& genome_hash, const Digest& task_hash, std::string_view toolchain) {
  Encoder out;
  out("build/1")(genome_hash)(task_hash)(toolchain);
  return out.digest();
}

}  // namespace ke
