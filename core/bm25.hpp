#pragma once
// Ranks passages by words [Robertson2009], for KnowledgeIndex.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ke {

/// Splits a text into words: runs of ASCII letters, digits and bytes above 127, in lower case (as
/// the tokenizer `ascii` of FTS5 does).
std::vector<std::string> words_of(std::string_view text);

/// Totals over the passages known at a step.
struct CorpusSize {
  std::int64_t passages = 0;
  std::int64_t words = 0;
};

/// Okapi BM25 of one word in one passage, k1 = 1.2, b = 0.75; always positive. The totals cover
/// only passages known at the step of the query, so later passages do not change earlier answers.
double bm25(std::int64_t occurrences, std::int64_t passage_words, std::int64_t passages_with_word,
            const CorpusSize& corpus);

}  // namespace ke
