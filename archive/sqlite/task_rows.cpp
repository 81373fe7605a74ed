#include "archive/sqlite/task_rows.hpp"

#include <cstring>

namespace ke::sqlite {
void put_axes(Sql& sql, const std::string& archive, const std::vector<AxisShape>& axes) {
  sql.run("DELETE FROM axis_bin WHERE archive = ?", archive);
  sql.run("DELETE FROM axis WHERE archive = ?", archive);
  std::int64_t position = 0;
  for (const AxisShape& axis : axes) {
    sql.run("INSERT INTO axis (archive, position, measure, unit) VALUES (?, ?, ?, ?)", archive,
            position, axis.measure, axis.unit);
    std::int64_t bin = 0;
    for (const std::string& label : axis.bins) {
      sql.run("INSERT INTO axis_bin (archive, position, bin, label) VALUES (?, ?, ?, ?)", archive,
              position, bin++, label);
    }
    ++position;
  }
}

std::vector<AxisShape> read_axes(Sql& sql, const std::string& archive) {
  auto axes = sql.list(
      "SELECT measure, unit FROM axis WHERE archive = ? ORDER BY position",
      [](const Row& row) {
        return AxisShape{row.text(0), row.text(1), {}};
      },
      archive);
  sql.each(
      "SELECT position, label FROM axis_bin WHERE archive = ? ORDER BY position, bin",
      [&](const Row& row) {
        axes.at(static_cast<std::size_t>(row.integer(0))).bins.push_back(row.text(1));
      },
      archive);
  return axes;
}

namespace {

std::vector<std::int64_t> bits_of(std::span<const double> values) {
  std::vector<std::int64_t> bits(values.size());
  if (!values.empty()) std::memcpy(bits.data(), values.data(), values.size_bytes());
  return bits;
}

std::vector<double> doubles(const std::vector<std::int64_t>& bits) {
  std::vector<double> values(bits.size());
  if (!bits.empty()) std::memcpy(values.data(), bits.data(), bits.size() * sizeof(double));
  return values;
}

NumericBatch batch_of(const Row& row) {
  NumericBatch batch;
  batch.digest = row.digest(0);
  batch.solutions = row.integer(1);
  batch.filled = row.integer(2);
  batch.qd_score = row.real(3);
  batch.best = row.real(4);
  batch.clipped = row.integer(5);
  return batch;
}

}  // namespace

void put_numeric_batch(Sql& sql, std::int64_t step_idx, const NumericBatch& batch) {
  sql.run(
      "INSERT INTO numeric_batch (step_idx, digest, solutions, filled, qd_score, best, clipped) "
      "VALUES (?, ?, ?, ?, ?, ?, ?)",
      step_idx, batch.digest, batch.solutions, batch.filled, Real{batch.qd_score}, Real{batch.best},
      batch.clipped);
}

std::optional<NumericBatch> read_numeric_batch(Sql& sql, std::int64_t step_idx) {
  return sql.last(
      "SELECT digest, solutions, filled, qd_score, best, clipped FROM numeric_batch "
      "WHERE step_idx = ?",
      batch_of, step_idx);
}

std::optional<NumericBatch> sum_numeric_batches(Sql& sql) {
  return sql.last(
      "SELECT digest, (SELECT sum(solutions) FROM numeric_batch), filled, qd_score, best, clipped "
      "FROM numeric_batch ORDER BY step_idx DESC LIMIT 1",
      batch_of);
}

void put_numeric_elites(Sql& sql, const NumericArchive& archive) {
  sql.run("DELETE FROM numeric_elite");
  for (std::size_t slot = 0; slot < archive.filled(); ++slot) {
    const auto measures = bits_of(archive.measures(slot));
    const auto solution = bits_of(archive.solution(slot));
    sql.run("INSERT INTO numeric_elite (cell, objective, measures, solution) VALUES (?, ?, ?, ?)",
            std::int64_t{archive.cell(slot)}, Real{archive.objective(slot)}, Nanoseconds{measures},
            Nanoseconds{solution});
  }
}

Digest numeric_elites_digest(Sql& sql) {
  ElitesDigest elites;
  sql.each("SELECT cell, objective, measures, solution FROM numeric_elite ORDER BY cell",
           [&](const Row& row) {
             elites.add(row.integer(0), row.real(1), doubles(row.nanoseconds(2)),
                        doubles(row.nanoseconds(3)));
           });
  return elites.digest();
}

namespace {

using Texts = std::map<std::string, std::string>;

/// A table of names and values, and its statements.
struct TextTable {
  const char* name;
  const char* clear;
  const char* insert;
  const char* read;
};

constexpr TextTable labels_table{"task_label", "DELETE FROM task_label",
                                 "INSERT INTO task_label (name, value) VALUES (?, ?)",
                                 "SELECT name, value FROM task_label"};

constexpr TextTable options_table{"kept_option", "DELETE FROM kept_option",
                                  "INSERT INTO kept_option (name, value) VALUES (?, ?)",
                                  "SELECT name, value FROM kept_option"};

void put_texts(Sql& sql, const TextTable& table, const Texts& texts) {
  sql.run(table.clear);
  for (const auto& [name, value] : texts) {
    if (!value.empty()) sql.run(table.insert, name, value);
  }
}

Texts read_texts(Sql& sql, const TextTable& table) {
  Texts texts;
  if (!sql.has_table(table.name)) return texts;
  sql.each(table.read, [&](const Row& row) { texts.emplace(row.text(0), row.text(1)); });
  return texts;
}

}  // namespace

void put_task_labels(Sql& sql, const Texts& labels) { put_texts(sql, labels_table, labels); }
Texts read_task_labels(Sql& sql) { return read_texts(sql, labels_table); }

void put_kept_options(Sql& sql, const Texts& options) { put_texts(sql, options_table, options); }
Texts read_kept_options(Sql& sql) { return read_texts(sql, options_table); }

}  // namespace ke::sqlite
