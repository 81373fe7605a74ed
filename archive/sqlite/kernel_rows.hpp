#pragma once
// Content-addressed rows: texts, genomes, builds. Each put answers the row's id, old or new.

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

/// `hash` is the kernel's genome hash.
std::int64_t put_genome(Sql& sql, const Digest& hash, const Kernel& kernel);
/// All but the kernel's name, which is no part of the genome.
Kernel read_genome(Sql& sql, std::int64_t id);

/// Nothing for the zero hash.
std::optional<std::int64_t> put_build(Sql& sql, const Digest& hash);

}  // namespace ke::sqlite
