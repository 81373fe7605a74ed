#pragma once
// A KnowledgeIndex in the run file, using FTS5.

#include "archive/sqlite/store_file.hpp"
#include "core/knowledge_index.hpp"

namespace ke::sqlite {

/// FTS5 finds the passages that contain a word; core/bm25.hpp ranks them, because FTS5's own bm25()
/// includes passages that were not yet known at the step of the query.
class SqliteKnowledgeIndex final : public KnowledgeIndex {
 public:
  explicit SqliteKnowledgeIndex(StoreFile& file) : file_(file) {}
  /// A second passage with the same id replaces the first.
  Result<void> add(const Passage& passage) override;
  Result<std::vector<Passage>> search(std::string_view query, std::int64_t as_of_step,
                                      std::size_t limit) const override;

 private:
  StoreFile& file_;
};

}  // namespace ke::sqlite
