#include "experiments/text/csv.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/result.hpp"

namespace ke {
namespace {

void add_line(const std::vector<std::string>& fields, std::string& text) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) text += ',';
    text += csv_field(fields[i]);
  }
  text += '\n';
}

}  // namespace

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) out.append(c == '"' ? 2 : 1, c);
  return out + "\"";
}

std::string csv_number(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : std::string();
}

void CsvTable::add(std::vector<std::string> row) {
  KE_CHECK(row.size() == columns_.size());
  rows_.push_back(std::move(row));
}

std::string CsvTable::text() const {
  std::string text;
  add_line(columns_, text);
  for (const auto& row : rows_) add_line(row, text);
  return text;
}

}  // namespace ke
