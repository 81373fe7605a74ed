#pragma once
// Retrieval of knowledge sheets and lessons for prompts.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/random_stream.hpp"

namespace ke {

/// Fixed before the run begins: equal queries and random streams give equal texts.
class Lessons {
 public:
  virtual ~Lessons() = default;
  /// The lessons for a prompt; "" = none this time.
  virtual std::string recall(std::string_view query, RandomStream& random) const = 0;
  /// Identifies the snapshot, for records.
  virtual std::string version() const = 0;
};

/// One retrievable passage. `step` is the logical step at which it became known.
struct Passage {
  std::string id;
  std::string title;
  std::string text;
  std::int64_t step = 0;
};

/// Passages in memory, ranked by words (bm25.hpp).
class KnowledgeIndex {
 public:
  struct Ranked {
    double score;  ///< BM25 score, positive
    std::string id;
  };
  /// A second passage with the same id replaces the first.
  void add(const Passage& passage);
  /// At most `limit` passages known before `as_of_step`, best first, ties by id.
  std::vector<Passage> search(std::string_view query, std::int64_t as_of_step,
                              std::size_t limit) const;
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
