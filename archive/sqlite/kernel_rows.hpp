#pragma once
// Content-addressed rows: texts, genomes, builds. Each put returns the row's id, new or not.

#include <cstdint>
#include <optional>
#include <string>

#include "archive/sqlite/sql.hpp"
#include "core/kernel.hpp"

namespace ke::sqlite {

std::int64_t put_note(Sql& sql, const std::string& text);
std::string read_note(Sql& sql, std::int64_t id);
/// Nothing for "".
std::optional<std::int64_t> put_note_or_null(Sql& sql, const std::string& text);

/// `hash` must be the kernel's genome hash.
std::int64_t put_genome(Sql& sql, const Digest& hash, const Kernel& kernel);
/// All fields except the kernel's name, which is not part of the genome.
Kernel read_genome(Sql& sql, std::int64_t id);

/// Nothing for the zero hash.
std::optional<std::int64_t> put_build(Sql& sql, const Digest& hash);

}  // namespace ke::sqlite
