#pragma once
// Ranking of passages by words [Robertson2009]. Every KnowledgeIndex uses it, so that they agree.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ke {

/// Words of a text: runs of ASCII letters and digits and of bytes above 127, in lower case (as the
/// tokenizer `ascii` of FTS5 does).
std::vector<std::string> words_of(std::string_view text);

/// Sums over the passages known at a step.
struct CorpusSize {
  std::int64_t passages = 0;
  std::int64_t words = 0;
};

/// Okapi BM25 of one word in one passage, k1 = 1.2, b = 0.75; always positive. The sums cover only
/// what was known at the step asked for, so later passages do not change an earlier answer.
double bm25(std::int64_t occurrences, std::int64_t passage_words, std::int64_t passages_with_word,
            const CorpusSize& corpus);

}  // namespace ke
