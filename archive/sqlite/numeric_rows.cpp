#include "archive/sqlite/numeric_rows.hpp"

#include <cstring>
#include <string>

#include "core/numeric/elites_digest.hpp"

namespace ke::sqlite {
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
  std::optional<NumericBatch> batch;
  sql.each(
      "SELECT digest, solutions, filled, qd_score, best, clipped FROM numeric_batch "
      "WHERE step_idx = ?",
      [&](const Row& row) { batch = batch_of(row); }, step_idx);
  return batch;
}

std::optional<NumericBatch> sum_numeric_batches(Sql& sql) {
  std::optional<NumericBatch> sum;
  sql.each(
      "SELECT digest, (SELECT sum(solutions) FROM numeric_batch), filled, qd_score, best, clipped "
      "FROM numeric_batch ORDER BY step_idx DESC LIMIT 1",
      [&](const Row& row) { sum = batch_of(row); });
  return sum;
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

}  // namespace ke::sqlite
