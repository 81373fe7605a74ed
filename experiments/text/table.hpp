#pragma once
// Aligned tables for people, CSV for other programs [RFC 4180, but lines end in a line feed only].

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace ke {

/// Returns the text as one field, quoted when it holds a comma, a quote or a line end.
std::string csv_field(std::string_view text);

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
