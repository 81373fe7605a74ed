#include "core/bm25.hpp"

#include "core/portable_math.hpp"

namespace ke {
namespace {

bool is_word_byte(unsigned char c) {
  return c >= 128 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : text) {
    if (is_word_byte(static_cast<unsigned char>(c))) {
      word += lower(c);
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

double bm25(std::int64_t occurrences, std::int64_t passage_words, std::int64_t passages_with_word,
            const CorpusSize& corpus) {
  constexpr double k1 = 1.2;
  constexpr double b = 0.75;
  const double n = static_cast<double>(corpus.passages);
  const double with = static_cast<double>(passages_with_word);
  const double idf = portable_log(1 + (n - with + 0.5) / (with + 0.5));
  const double average = static_cast<double>(corpus.words) / n;
  const double length = static_cast<double>(passage_words) / average;
  const double tf = static_cast<double>(occurrences);
  return idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * length));
}

}  // namespace ke
