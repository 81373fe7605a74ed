#include "operators/llm/knowledge.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

namespace ke {
namespace {

bool meet(const KnowledgeWords& some, const KnowledgeWords& others) {
  return std::ranges::find_first_of(some, others) != some.end();
}

bool is_for(const KnowledgePassage& passage, const KnowledgeNeed& need) {
  const bool language = passage.languages.empty() || meet(passage.languages, {need.language});
  return language && (passage.devices.empty() || meet(passage.devices, need.devices));
}

/// A factor of the score: `match` if the passage names a wanted word, `miss` if it names only
/// others, 1 if either list is empty.
double weighed(const KnowledgeWords& named, const KnowledgeWords& wanted, double match,
               double miss) {
  if (named.empty() || wanted.empty()) return 1;
  return meet(named, wanted) ? match : miss;
}

/// Passages for exactly the machine's narrowest family rank before those for several families, and
/// these before the ones for any machine.
double specificity(const KnowledgePassage& passage, const KnowledgeNeed& need) {
  if (passage.devices.empty() || need.devices.empty()) return 1;
  const bool narrowest = passage.devices == KnowledgeWords{need.devices.back()};
  return narrowest ? 1.5 : 1.2;
}

/// Factors tuned by hand on the tasks of configs: a passage for the scene's operation ranks before
/// one that only shares words.
double fit(const KnowledgePassage& passage, const KnowledgeNeed& need) {
  return weighed(passage.operations, need.operations, 3, 0.25) *
         weighed(passage.limiters, need.limiters, 1.6, 0.7) * specificity(passage, need) *
         weighed(passage.types, need.types, 1.5, 0.3) * (passage.code.empty() ? 1 : 2);
}

/// The text for word ranking, without code, whose names would dominate the prose.
std::string indexed_text(const KnowledgePassage& passage) {
  return fmt::format("{} {} {} {}", passage.prose, fmt::join(passage.devices, " "),
                     fmt::join(passage.operations, " "), fmt::join(passage.limiters, " "));
}

}  // namespace

std::vector<KnowledgePassage> all_passages() {
  std::vector<KnowledgePassage> all;
  for (const KnowledgeSheet& sheet : knowledge_sheets()) {
    auto passages = parse_knowledge(sheet);
    KE_CHECK(passages);
    std::ranges::move(*passages, std::back_inserter(all));
  }
  return all;
}

std::string knowledge_version() {
  Encoder out;
  for (const KnowledgeSheet& sheet : knowledge_sheets()) {
    out(std::string(sheet.name))(std::string(sheet.text));
  }
  return out.digest().short_hex(8);
}

KnowledgeShelf::KnowledgeShelf(std::vector<KnowledgePassage> passages) {
  for (KnowledgePassage& passage : passages) {
    KE_CHECK(index_.add({passage.id, passage.title, indexed_text(passage), 0}));
    passages_.emplace(passage.id, std::move(passage));
  }
}

std::vector<const KnowledgePassage*> KnowledgeShelf::fitting(const KnowledgeNeed& need) const {
  constexpr std::int64_t after_all = 1;  // sheets are known from step 0 on
  std::vector<std::pair<double, const KnowledgePassage*>> order;
  for (const auto& found : index_.rank(need.query, after_all)) {
    const KnowledgePassage& passage = passages_.at(found.id);
    if (is_for(passage, need)) order.emplace_back(found.score * fit(passage, need), &passage);
  }
  std::ranges::stable_sort(order, std::greater<>(), &decltype(order)::value_type::first);
  std::vector<const KnowledgePassage*> best;
  for (const auto& [score, passage] : order) best.push_back(passage);
  return best;
}

Knowledge::Knowledge(Params& params)
    : probability_(params.real("probability", 0.5, {0, 1},
                               "chance that a prompt is given passages of the knowledge sheets")),
      passages_(static_cast<std::size_t>(
          params.integer("passages", 3, {1, 16}, "how many of them at most"))),
      tokens_(params.integer("tokens", 4000, {16, 100'000},
                             "limit of all of them together; passages that do not fit are left "
                             "out whole")) {
  if (probability_ > 0) shelf_ = std::make_unique<KnowledgeShelf>(all_passages());
}

std::string Knowledge::look_up(const PromptScene& scene, RandomStream& random) const {
  if (!shelf_ || random.uniform() >= probability_) return "";
  std::string text = "## What is known about such kernels and machines\n";
  std::size_t taken = 0;
  for (const KnowledgePassage* passage : shelf_->fitting(need_of(scene))) {
    if (taken == passages_) break;
    const std::string more = passage->text();
    if (estimated_tokens(text) + estimated_tokens(more) > tokens_) continue;
    text += more;
    ++taken;
  }
  return taken == 0 ? "" : text;
}

}  // namespace ke
