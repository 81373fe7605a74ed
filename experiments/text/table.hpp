#pragma once
// Aligned tables for people, CSV for other programs [RFC 4180, but lines end in a line feed only].

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace ke {

/// Returns the text as one field, quoted when it holds a comma, a quote or a line end.
std::string csv_field(std::string_view text);
/// Returns the shortest text that reads back as the same number; "" for infinities and NaN.
std::string csv_number(double value);

/// Rows under named columns.
class CsvTable {
 public:
  CsvTable() = default;
  explicit CsvTable(std::vector<std::string> columns) : columns_(std::move(columns)) {}
  /// Adds a row of unquoted fields, one per column.
  void add(std::vector<std::string> row);
  bool empty() const { return rows_.empty(); }
  /// Header and rows, each with a line end.
  std::string text() const;

 private:
  std::vector<std::string> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// Sets columns as wide as their longest cell, with two spaces between them and a rule below the
/// header. Columns whose cells all start with a digit, '-' or nothing are right-aligned.
class Table {
 public:
  explicit Table(std::vector<std::string> head) : head_(std::move(head)) {}
  void add(std::vector<std::string> row);
  std::string text() const;

 private:
  std::vector<std::string> head_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace ke
