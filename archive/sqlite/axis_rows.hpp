#pragma once
// Stores and loads the axes of archives.

#include "archive/axis_shape.hpp"
#include "archive/sqlite/sql.hpp"

namespace ke::sqlite {

/// Replaces stored axes.
void put_axes(Sql& sql, const std::string& archive, const std::vector<AxisShape>& axes);
std::vector<AxisShape> read_axes(Sql& sql, const std::string& archive);

}  // namespace ke::sqlite
