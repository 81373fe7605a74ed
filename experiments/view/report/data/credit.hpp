#pragma once
// Credits operators and models with the outcome of their proposals.

#include <map>
#include <string>
#include <vector>

#include "archive/run_rows.hpp"
#include "experiments/text/json.hpp"

namespace ke {

/// Outcome of the proposals of one operator or model.
struct Credit {
  std::int64_t proposals = 0;
  std::int64_t no_child = 0;
  std::int64_t duplicates = 0;
  std::int64_t ok = 0;                  ///< new kernels that passed every check
  std::int64_t tried = 0;               ///< new kernels with ok parents or inspirations
  std::int64_t improved = 0;            ///< of these: ok and better than the best of these parents
  std::int64_t elites = 0;              ///< proposals that became an elite of the shared archive
  std::int64_t records = 0;             ///< proposals that were the best of the run so far
  double best = 0;                      ///< highest objective of an ok kernel; NaN without one
  std::int64_t added_lines = 0;         ///< lines of kernels that their first parent lacks
  std::int64_t reintroduced_lines = 0;  ///< of these: lines that an older ancestor had
};

std::map<std::string, Credit> credit_by_operator(const RunRows& rows);
/// Credits by the model whose reply a candidate is based on.
std::map<std::string, Credit> credit_by_model(const RunRows& rows);

/// [{name, ..., rate: [improved/tried, low, high], reintroduced}] with Wilson intervals; null
/// without trials. `reintroduced` is the share of the added lines; null if there are none.
Json credit_json(const std::map<std::string, Credit>& credits);

}  // namespace ke
