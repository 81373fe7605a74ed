#include "archive/sqlite/kernel_rows.hpp"

namespace ke::sqlite {
namespace {

/// The row of `hash`: cached, found by `select`, or created by `insert()`, which returns its id.
template <typename F>
std::int64_t row_of(Sql& sql, RowIds<Digest>& known, const char* select, const Digest& hash,
                    F&& insert) {
  if (const auto id = known.find(hash)) return *id;
  const auto stored = sql.find(select, hash);
  const std::int64_t id = stored ? *stored : insert();
  known.keep(hash, id);
  return id;
}

std::int64_t put_source(Sql& sql, const std::string& text) {
  const Digest hash = sha256(text);
  return row_of(sql, sql.known().sources, "SELECT id FROM source WHERE hash = ?", hash, [&] {
    sql.run("INSERT INTO source (hash, text) VALUES (?, ?)", hash, text);
    return sql.last_id();
  });
}

std::string text_of(Sql& sql, const char* query, std::int64_t id) {
  return sql
      .last(
          query, [](const Row& row) { return row.text(0); }, id)
      .value_or("");
}

void put_genes(Sql& sql, std::int64_t genome, const Kernel& kernel) {
  using Knob = std::tuple<std::int64_t, const std::string&, const std::string&>;
  sql.insert("INSERT OR FAIL INTO knob (genome_id, name, value) VALUES", kernel.knobs,
             [&](const auto& knob) { return Knob(genome, knob.first, knob.second); });
  using Flag = std::tuple<std::int64_t, std::int64_t, const std::string&>;
  std::int64_t position = 0;
  sql.insert("INSERT OR FAIL INTO flag (genome_id, position, value) VALUES", kernel.flags,
             [&](const auto& value) { return Flag(genome, position++, value); });
}

}  // namespace

std::int64_t put_note(Sql& sql, const std::string& text) {
  const Digest hash = sha256(text);
  return row_of(sql, sql.known().notes, "SELECT id FROM note WHERE hash = ?", hash, [&] {
    sql.run("INSERT INTO note (hash, text) VALUES (?, ?)", hash, text);
    return sql.last_id();
  });
}

std::string read_note(Sql& sql, std::int64_t id) {
  return text_of(sql, "SELECT text FROM note WHERE id = ?", id);
}

std::optional<std::int64_t> put_note_or_null(Sql& sql, const std::string& text) {
  if (text.empty()) return std::nullopt;
  return put_note(sql, text);
}

std::int64_t put_genome(Sql& sql, const Digest& hash, const Kernel& kernel) {
  return row_of(sql, sql.known().genomes, "SELECT id FROM genome WHERE hash = ?", hash, [&] {
    const std::int64_t source = put_source(sql, kernel.source);
    sql.run("INSERT INTO genome (hash, language, source_id, launch_plan) VALUES (?, ?, ?, ?)", hash,
            kernel.language, source, kernel.launch_plan);
    const std::int64_t genome = sql.last_id();
    put_genes(sql, genome, kernel);
    return genome;
  });
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
  kernel.flags = sql.list(
      "SELECT value FROM flag WHERE genome_id = ? ORDER BY position",
      [](const Row& row) { return row.text(0); }, id);
  return kernel;
}

std::optional<std::int64_t> put_build(Sql& sql, const Digest& hash) {
  if (hash.is_zero()) return std::nullopt;
  return row_of(sql, sql.known().builds, "SELECT id FROM build WHERE hash = ?", hash, [&] {
    sql.run("INSERT INTO build (hash) VALUES (?)", hash);
    return sql.last_id();
  });
}

}  // namespace ke::sqlite
