#include "core/search/job_maker.hpp"

#include <algorithm>

namespace ke {

bool JobMaker::sanitizes() const {
  return std::ranges::find(info_.capabilities, "sanitizers") != info_.capabilities.end();
}

Job JobMaker::build(const Kernel& kernel, const Digest& genome_hash) const {
  Job job;
  job.kind = JobKind::build;
  job.kernel = kernel;
  Encoder key;
  key("build/1")(genome_hash)(task_hash_)(info_.toolchain);
  job.key = key.digest();
  job.device = device_;
  return job;
}

Job JobMaker::measured(JobKind kind, const Kernel& kernel, const Digest& build_hash,
                       Opponent opponent, const Digest& opponent_build,
                       std::vector<std::string> roles, std::int64_t look) const {
  MeasureKey key;
  key.build_hash = build_hash;
  key.opponent_build_hash = opponent_build;
  key.workloads.reserve(roles.size() + info_.workloads.size() + 2);
  key.workloads = roles;
  key.workloads.insert(key.workloads.end(), info_.workloads.begin(), info_.workloads.end());
  key.workloads.push_back(opponent.name);
  key.workloads.push_back(task_text_);
  key.purpose = kind;
  key.device_class = info_.device_class;
  key.protocol_version = info_.protocol_version;
  key.look = look;
  Job job;
  job.key = digest_of(key);
  job.kind = kind;
  job.kernel = kernel;
  job.opponent = std::move(opponent);
  job.roles = std::move(roles);
  job.look = look;
  job.device = device_;
  return job;
}

Job JobMaker::screen(const Kernel& kernel, const Digest& build_hash, std::int64_t look,
                     const std::vector<std::string>& roles) const {
  return measured(JobKind::screen, kernel, build_hash, {"anchor", std::nullopt}, {}, roles, look);
}

Job JobMaker::check(const Kernel& kernel, const Digest& build_hash) const {
  return measured(JobKind::screen, kernel, build_hash, {}, {}, {}, 0);
}

Job JobMaker::duel(const Kernel& challenger, const Digest& challenger_build,
                   const Kernel& incumbent, const Digest& incumbent_build, std::int64_t look,
                   const std::vector<std::string>& roles) const {
  return measured(JobKind::duel, challenger, challenger_build, {"", incumbent}, incumbent_build,
                  roles, look);
}

Job JobMaker::verify(const Kernel& kernel, const Digest& build_hash, Opponent opponent,
                     const Digest& opponent_build, const std::vector<std::string>& roles,
                     std::int64_t look) const {
  return measured(JobKind::verify, kernel, build_hash, std::move(opponent), opponent_build, roles,
                  look);
}

Job JobMaker::sanitize(const Kernel& kernel, const Digest& build_hash) const {
  return measured(JobKind::sanitize, kernel, build_hash, {}, {}, {"test"}, 0);
}

Job JobMaker::probe(const std::string& opponent) const {
  return measured(JobKind::probe, {}, {}, {opponent, std::nullopt}, {}, {"bench"}, 0);
}

}  // namespace ke
