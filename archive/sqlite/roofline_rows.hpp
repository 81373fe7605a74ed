#pragma once
// Costs of workloads, ceilings of the device, and the timings that are held against them.

#include <cstdint>
#include <optional>
#include <vector>

#include "archive/roofline.hpp"
#include "archive/sqlite/sql.hpp"

namespace ke::sqlite {

/// Replaces the costs; adds the ceilings to a session, if there is one.
void put_roofline(Sql& sql, std::optional<std::int64_t> session,
                  const std::vector<WorkloadCost>& costs, const std::vector<Ceiling>& ceilings);

/// Empty where the run has no costs.
Roofline read_roofline(Sql& sql);

}  // namespace ke::sqlite
