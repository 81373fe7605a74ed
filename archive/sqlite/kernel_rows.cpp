#include "archive/sqlite/kernel_rows.hpp"

namespace ke::sqlite {
namespace {

std::int64_t put_source(Sql& sql, const std::string& text) {
  const Digest hash = sha256(text);
  if (const auto id = sql.find("SELECT id FROM source WHERE hash = ?", hash)) return *id;
  sql.run("INSERT INTO source (hash, text) VALUES (?, ?)", hash, text);
  return sql.last_id();
}

std::string text_of(Sql& sql, const char* query, std::int64_t id) {
  std::string text;
  sql.each(
      query, [&](const Row& row) { text = row.text(0); }, id);
  return text;
}

void put_genes(Sql& sql, std::int64_t genome, const Kernel& kernel) {
  for (const auto& [name, value] : kernel.knobs) {
    sql.run("INSERT INTO knob (genome_id, name, value) VALUES (?, ?, ?)", genome, name, value);
  }
  std::int64_t position = 0;
  for (const auto& value : kernel.flags) {
    sql.run("INSERT INTO flag (genome_id, position, value) VALUES (?, ?, ?)", genome, position++,
            value);
  }
}

}  // namespace

std::int64_t put_note(Sql& sql, const std::string& text) {
  const Digest hash = sha256(text);
  if (const auto id = sql.find("SELECT id FROM note WHERE hash = ?", hash)) return *id;
  sql.run("INSERT INTO note (hash, text) VALUES (?, ?)", hash, text);
  return sql.last_id();
}

std::string read_note(Sql& sql, std::int64_t id) {
  return text_of(sql, "SELECT text FROM note WHERE id = ?", id);
}

std::optional<std::int64_t> put_note_or_null(Sql& sql, const std::string& text) {
  if (text.empty()) return std::nullopt;
  return put_note(sql, text);
}

std::int64_t put_genome(Sql& sql, const Digest& hash, const Kernel& kernel) {
  if (const auto id = sql.find("SELECT id FROM genome WHERE hash = ?", hash)) return *id;
  const std::int64_t source = put_source(sql, kernel.source);
  sql.run("INSERT INTO genome (hash, language, source_id, launch_plan) VALUES (?, ?, ?, ?)", hash,
          kernel.language, source, kernel.launch_plan);
  const std::int64_t genome = sql.last_id();
  put_genes(sql, genome, kernel);
  return genome;
}

Kernel read_genome(Sql& sql, std::int64_t id) {
  Kernel kernel;
  std::int64_t source = 0;
  sql.each(
      "SELECT language, launch_plan, source_id FROM genome WHERE id = ?",
      [&](const Row& row) {
        kernel.language = row.text(0);
        kernel.launch_plan = row.text(1);
        source = row.integer(2);
      },
      id);
  kernel.source = text_of(sql, "SELECT text FROM source WHERE id = ?", source);
  sql.each(
      "SELECT name, value FROM knob WHERE genome_id = ?",
      [&](const Row& row) { kernel.knobs.emplace(row.text(0), row.text(1)); }, id);
  sql.each(
      "SELECT value FROM flag WHERE genome_id = ? ORDER BY position",
      [&](const Row& row) { kernel.flags.push_back(row.text(0)); }, id);
  return kernel;
}

std::optional<std::int64_t> put_build(Sql& sql, const Digest& hash) {
  if (hash.is_zero()) return std::nullopt;
  if (const auto id = sql.find("SELECT id FROM build WHERE hash = ?", hash)) return *id;
  sql.run("INSERT INTO build (hash) VALUES (?)", hash);
  return sql.last_id();
}

}  // namespace ke::sqlite
