#include "archive/sqlite/sqlite_knowledge_index.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "core/bm25.hpp"

namespace ke::sqlite {
namespace {

void remove(Sql& sql, const std::string& name) {
  const auto old = sql.find("SELECT id FROM lesson WHERE name = ?", name);
  if (!old) return;
  sql.run("DELETE FROM lesson_words WHERE rowid = ?", *old);
  sql.run("DELETE FROM lesson WHERE id = ?", *old);
}

void insert(Sql& sql, const Passage& p) {
  const auto words = words_of(p.title).size() + words_of(p.text).size();
  sql.run("INSERT INTO lesson (name, title, text, step, words) VALUES (?, ?, ?, ?, ?)", p.id,
          p.title, p.text, p.step, static_cast<std::int64_t>(words));
  sql.run("INSERT INTO lesson_words (rowid, title, text) VALUES (?, ?, ?)", sql.last_id(), p.title,
          p.text);
}

CorpusSize corpus_at(Sql& sql, std::int64_t as_of_step) {
  CorpusSize corpus;
  sql.each(
      "SELECT count(*), coalesce(sum(words), 0) FROM lesson WHERE step < ?",
      [&](const Row& row) {
        corpus = {row.integer(0), row.integer(1)};
      },
      as_of_step);
  return corpus;
}

struct Hit {
  std::string name;
  std::int64_t occurrences;
  std::int64_t words;
};

std::vector<Hit> passages_with(Sql& sql, const std::string& word, std::int64_t as_of_step) {
  std::vector<Hit> hits;
  sql.each(
      "SELECT l.name, count(*), l.words FROM lesson_terms t JOIN lesson l ON l.id = t.doc "
      "WHERE t.term = ? AND l.step < ? GROUP BY l.id",
      [&](const Row& row) {
        hits.push_back({row.text(0), row.integer(1), row.integer(2)});
      },
      word, as_of_step);
  return hits;
}

Passage passage_named(Sql& sql, const std::string& name) {
  Passage passage;
  sql.each(
      "SELECT name, title, text, step FROM lesson WHERE name = ?",
      [&](const Row& row) {
        passage = {row.text(0), row.text(1), row.text(2), row.integer(3)};
      },
      name);
  return passage;
}

std::vector<Passage> best_passages(Sql& sql, std::string_view query, std::int64_t as_of_step,
                                   std::size_t limit) {
  const CorpusSize corpus = corpus_at(sql, as_of_step);
  const auto words = words_of(query);
  std::map<std::string, double> scores;
  for (const auto& word : std::set<std::string>(words.begin(), words.end())) {
    const auto hits = passages_with(sql, word, as_of_step);
    for (const Hit& hit : hits) {
      scores[hit.name] +=
          bm25(hit.occurrences, hit.words, static_cast<std::int64_t>(hits.size()), corpus);
    }
  }
  std::vector<std::pair<double, std::string>> order;
  for (const auto& [name, score] : scores) order.emplace_back(-score, name);
  std::sort(order.begin(), order.end());
  if (order.size() > limit) order.resize(limit);
  std::vector<Passage> best;
  for (const auto& [score, name] : order) best.push_back(passage_named(sql, name));
  return best;
}

}  // namespace

Result<void> SqliteKnowledgeIndex::add(const Passage& passage) {
  return file_.write([&](Sql& sql) {
    remove(sql, passage.id);
    insert(sql, passage);
  });
}

Result<std::vector<Passage>> SqliteKnowledgeIndex::search(std::string_view query,
                                                          std::int64_t as_of_step,
                                                          std::size_t limit) const {
  return file_.read([&](Sql& sql) { return best_passages(sql, query, as_of_step, limit); });
}

}  // namespace ke::sqlite
