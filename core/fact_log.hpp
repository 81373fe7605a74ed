#pragma once
// Facts: results of jobs and exchanges, journaled by key on arrival and durable before use.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/codec.hpp"
#include "core/evaluation.hpp"
#include "core/hash.hpp"
#include "core/job.hpp"
#include "core/llm_client.hpp"
#include "core/result.hpp"

namespace ke {

/// Digests of canonical bytes, by key.
struct RecordDigests {
  std::map<Digest, Digest> facts;
  std::map<Digest, Digest> exchanges;

  /// SHA-256 of "record/1" and the sorted pairs (key, digest) of facts, then of exchanges.
  Digest hash() const {
    Encoder out;
    out("record/1")(facts)(exchanges);
    return out.digest();
  }
};

/// Storage of facts. A second append with the same key keeps the first and is no error.
class FactLog {
 public:
  virtual ~FactLog() = default;
  /// Durable on return. `job` is stored for provenance (purpose, opponent).
  virtual Result<void> append(const Job& job, const Fact& fact) = 0;
  virtual Result<void> append(const Exchange& exchange) = 0;
  virtual Result<std::optional<Fact>> find(const Digest& key) const = 0;
  virtual Result<std::optional<Exchange>> find_exchange(const Digest& key) const = 0;
  /// The committed exchange at this place, even if its prompt differs: a run replays and resumes
  /// although this version builds other prompts.
  virtual Result<std::optional<Exchange>> find_exchange_at(const ExchangePlace& /*place*/) const {
    return std::optional<Exchange>();
  }
  /// The job whose result has this key. Most logs store a job's key alone and return nothing; those
  /// that pass results on to other logs store the whole job.
  virtual Result<std::optional<Job>> find_job(const Digest& /*key*/) const {
    return std::optional<Job>();
  }
  /// Over all facts and exchanges sorted by key; clock values included.
  virtual Result<Digest> record_hash() const = 0;
};

}  // namespace ke
