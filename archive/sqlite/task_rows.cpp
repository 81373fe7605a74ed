#include "archive/sqlite/task_rows.hpp"

namespace ke::sqlite {

void put_task_labels(Sql& sql, const std::map<std::string, std::string>& labels) {
  sql.run("DELETE FROM task_label");
  for (const auto& [name, value] : labels) {
    if (!value.empty()) sql.run("INSERT INTO task_label (name, value) VALUES (?, ?)", name, value);
  }
}

std::map<std::string, std::string> read_task_labels(Sql& sql) {
  std::map<std::string, std::string> labels;
  if (sql.find("SELECT count(*) FROM sqlite_schema WHERE name = 'task_label'") != 1) return labels;
  sql.each("SELECT name, value FROM task_label",
           [&](const Row& row) { labels.emplace(row.text(0), row.text(1)); });
  return labels;
}

}  // namespace ke::sqlite
