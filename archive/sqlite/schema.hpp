#pragma once
// Markers of a run file of this version.

#include <cstdint>

namespace ke::sqlite {

inline constexpr std::int64_t application_id = 0x4b45766f;  ///< "KEvo"
inline constexpr std::int64_t schema_version = 2;           ///< PRAGMA user_version

/// Text of schema.sql.
const char* schema_sql();
/// Text of schema_additions.sql, which changes nothing if its tables exist.
const char* schema_additions_sql();

}  // namespace ke::sqlite
