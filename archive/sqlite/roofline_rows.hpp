#pragma once
// Workload costs, device ceilings, and the timings to compare with them.

#include <cstdint>
#include <optional>
#include <vector>

#include "archive/roofline.hpp"
#include "archive/sqlite/sql.hpp"

namespace ke::sqlite {

/// Replaces the costs; adds the ceilings to the session, if any.
void put_roofline(Sql& sql, std::optional<std::int64_t> session,
                  const std::vector<WorkloadCost>& costs, const std::vector<Ceiling>& ceilings);

/// Empty if the run has no costs.
Roofline read_roofline(Sql& sql);

}  // namespace ke::sqlite
