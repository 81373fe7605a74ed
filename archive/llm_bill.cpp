#include "archive/llm_bill.hpp"

#include <fmt/format.h>

#include "archive/sqlite/store_file.hpp"

namespace ke {
namespace {

using sqlite::Row;
using sqlite::Sql;

std::vector<ModelBill> read_models(Sql& sql) {
  return sql.list(
      "SELECT CASE model_returned WHEN '' THEN model ELSE model_returned END AS name, count(*), "
      "sum(input_tokens), sum(cached_tokens), sum(output_tokens), total(dollars) FROM exchange "
      "GROUP BY name ORDER BY name",
      [](const Row& row) {
        return ModelBill{row.text(0),    row.integer(1), 0,          row.integer(2),
                         row.integer(3), row.integer(4), row.real(5)};
      });
}

void read_details(Sql& sql, LlmBill& bill) {
  sql.each(
      "SELECT CASE x.model_returned WHEN '' THEN x.model ELSE x.model_returned END AS name, "
      "sum(d.estimated), sum(d.reasoning <> '') FROM exchange_detail d "
      "JOIN exchange x ON x.id = d.exchange_id GROUP BY name",
      [&](const Row& row) {
        for (ModelBill& one : bill.models) {
          if (one.model == row.text(0)) one.estimated = row.integer(1);
        }
        bill.reasoning_only += row.integer(2);
      });
  sql.each(
      "SELECT x.input_tokens, d.sent_tokens FROM exchange_detail d "
      "JOIN exchange x ON x.id = d.exchange_id WHERE d.sent_tokens > 0 ORDER BY x.id LIMIT 1",
      [&](const Row& row) {
        bill.read_tokens = row.integer(0);
        bill.sent_tokens = row.integer(1);
      });
}

/// Conversations end with the last exchange of a candidate. Inner answers of a conversation with
/// tools, and edits of hints, are of use; other inner answers were refused.
void read_outcomes(Sql& sql, LlmBill& bill) {
  sql.each(
      "WITH said AS (SELECT x.id, x.status, c.outcome, c.no_child_reason, row_number() OVER "
      "  (PARTITION BY v.candidate_id ORDER BY v.position DESC) = 1 AS last "
      "  FROM exchange x JOIN evidence v ON v.key = x.key "
      "  JOIN candidate c ON c.id = v.candidate_id) "
      "SELECT last, outcome, CASE WHEN status <> 'ok' THEN 'model_' || status "
      "  WHEN last AND outcome = 'no_child' THEN no_child_reason "
      "  WHEN NOT last AND NOT EXISTS (SELECT 1 FROM exchange_setting s "
      "    WHERE s.exchange_id = said.id AND s.name IN ('tools', 'hint_edit')) THEN 'asked_again' "
      "  ELSE '' END AS reason, count(*) FROM said GROUP BY 1, 2, 3",
      [&](const Row& row) {
        const std::int64_t count = row.integer(3);
        if (row.integer(0) != 0)
          (row.text(1) == "no_child" ? bill.fruitless : bill.kernels) += count;
        if (!row.text(2).empty()) bill.unusable[row.text(2)] += count;
      });
}

LlmBill read_bill(Sql& sql) {
  LlmBill bill;
  bill.models = read_models(sql);
  if (bill.models.empty()) return bill;
  if (sql.has_table("exchange_detail")) read_details(sql, bill);
  read_outcomes(sql, bill);
  return bill;
}

/// Two significant digits: 2566 -> "2,600".
std::string rounded(std::int64_t count) {
  std::int64_t unit = 1;
  while (count / unit >= 100) unit *= 10;
  std::string text = std::to_string((count + unit / 2) / unit * unit);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

}  // namespace

ModelBill& ModelBill::operator+=(const ModelBill& other) {
  answers += other.answers;
  estimated += other.estimated;
  input_tokens += other.input_tokens;
  cached_tokens += other.cached_tokens;
  output_tokens += other.output_tokens;
  dollars += other.dollars;
  return *this;
}

ModelBill LlmBill::total() const {
  ModelBill sum;
  for (const ModelBill& one : models) sum += one;
  return sum;
}

Result<LlmBill> llm_bill(const RunReader& reader) { return reader.file().read(read_bill); }

std::string cut_prompt_text(std::int64_t read_tokens, std::int64_t sent_tokens) {
  return fmt::format(
      "the server read {} tokens of a prompt of about {}: is its context window too small?",
      read_tokens, rounded(sent_tokens));
}

}  // namespace ke
