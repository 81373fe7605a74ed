#pragma once
// A KnowledgeIndex in memory.

#include <map>
#include <string>

#include "core/knowledge_index.hpp"

namespace ke {

class MemoryKnowledgeIndex final : public KnowledgeIndex {
 public:
  struct Ranked {
    double score;  ///< BM25 score, positive
    std::string id;
  };
  /// A second passage with the same id replaces the first.
  Result<void> add(const Passage& passage) override;
  Result<std::vector<Passage>> search(std::string_view query, std::int64_t as_of_step,
                                      std::size_t limit) const override;
  /// Passages known before `as_of_step` that contain a word of the query, best first, ties by id.
  std::vector<Ranked> rank(std::string_view query, std::int64_t as_of_step) const;

 private:
  struct Entry {
    Passage passage;
    std::map<std::string, std::int64_t> counts;
    std::int64_t words = 0;
  };
  std::map<std::string, Entry> entries_;
};

}  // namespace ke
