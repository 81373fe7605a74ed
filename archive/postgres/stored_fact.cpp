#include "archive/postgres/stored_fact.hpp"

#include "core/result.hpp"

namespace ke::postgres {

Fact stored_fact(const Digest& key, std::string_view bytes) {
  Result<Fact> fact = decode<Fact>(bytes);
  if (fact && fact->key == key) return *std::move(fact);
  Fact damaged;
  damaged.key = key;
  damaged.verdict = Verdict::lost;
  damaged.reason = "damaged";
  damaged.message = "a worker handed in what is no fact of this job";
  return damaged;
}

}  // namespace ke::postgres
