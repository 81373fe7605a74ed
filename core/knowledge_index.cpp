#include "core/knowledge_index.hpp"

#include <algorithm>
#include <functional>
#include <set>

#include "core/bm25.hpp"

namespace ke {

void KnowledgeIndex::add(const Passage& passage) {
  Entry entry{passage, {}, 0};
  for (const std::string& text : {passage.title, passage.text}) {
    for (const auto& word : words_of(text)) {
      ++entry.counts[word];
      ++entry.words;
    }
  }
  entries_.insert_or_assign(passage.id, std::move(entry));
}

std::vector<KnowledgeIndex::Ranked> KnowledgeIndex::rank(std::string_view query,
                                                         std::int64_t as_of_step) const {
  std::vector<const Entry*> known;
  CorpusSize corpus;
  for (const auto& [id, entry] : entries_) {
    if (entry.passage.step >= as_of_step) continue;
    known.push_back(&entry);
    ++corpus.passages;
    corpus.words += entry.words;
  }
  const auto words = words_of(query);
  std::map<std::string, double> scores;
  for (const auto& word : std::set<std::string>(words.begin(), words.end())) {
    const auto has = [&](const Entry* entry) { return entry->counts.count(word) > 0; };
    const auto with = std::count_if(known.begin(), known.end(), has);
    for (const Entry* entry : known) {
      if (has(entry)) {
        scores[entry->passage.id] += bm25(entry->counts.at(word), entry->words, with, corpus);
      }
    }
  }
  std::vector<Ranked> order;
  for (const auto& [id, score] : scores) order.push_back({score, id});
  std::ranges::stable_sort(order, std::greater<>(), &Ranked::score);
  return order;
}

std::vector<Passage> KnowledgeIndex::search(std::string_view query, std::int64_t as_of_step,
                                            std::size_t limit) const {
  std::vector<Passage> best;
  for (const Ranked& found : rank(query, as_of_step)) {
    if (best.size() == limit) break;
    best.push_back(entries_.at(found.id).passage);
  }
  return best;
}

}  // namespace ke
