#pragma once
// Aligned tables for people.

#include <string>
#include <vector>

namespace ke {

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
