#pragma once
// Stores and loads candidates. `space` is not stored, since the source declares it.

#include <memory>
#include <optional>
#include <string_view>

#include "archive/sqlite/sql.hpp"
#include "core/candidate.hpp"

namespace ke::sqlite {

/// Row of a committed candidate, or nothing.
std::optional<std::int64_t> find_candidate(Sql& sql, const LogicalId& id);
/// Row of a committed candidate. Refuses an unknown id; the message says that it is the `what` of
/// candidate `whose`.
std::int64_t candidate_row(Sql& sql, const LogicalId& id, std::string_view what,
                           const std::optional<LogicalId>& whose = std::nullopt);
LogicalId candidate_id(Sql& sql, std::int64_t row);

void put_candidate(Sql& sql, std::int64_t step_idx, const Candidate& candidate,
                   const std::vector<Digest>& fact_keys);
/// With all dependent rows; null when there is no such row.
std::shared_ptr<Candidate> read_candidate(Sql& sql, std::int64_t row);

/// SHA-256 of all stored fields of a candidate except its kernel, which has its genome hash.
Digest content_hash(const Candidate& candidate, const std::vector<Digest>& fact_keys);
std::vector<Digest> read_evidence(Sql& sql, std::int64_t candidate_row);

}  // namespace ke::sqlite
