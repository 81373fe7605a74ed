#pragma once
// Axes of archives as rows, and back.

#include "archive/axis_shape.hpp"
#include "archive/sqlite/sql.hpp"

namespace ke::sqlite {

/// Replaces what was there.
void put_axes(Sql& sql, const std::string& archive, const std::vector<AxisShape>& axes);
std::vector<AxisShape> read_axes(Sql& sql, const std::string& archive);

}  // namespace ke::sqlite
