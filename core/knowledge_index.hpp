#pragma once
// Retrieval of knowledge sheets and lessons for prompts.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/random_stream.hpp"
#include "core/result.hpp"

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

class KnowledgeIndex {
 public:
  virtual ~KnowledgeIndex() = default;
  virtual Result<void> add(const Passage& passage) = 0;
  /// At most `limit` passages known before `as_of_step`, best first, ties by id.
  virtual Result<std::vector<Passage>> search(std::string_view query, std::int64_t as_of_step,
                                              std::size_t limit) const = 0;
};

}  // namespace ke
