#include "operators/llm/knowledge.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "core/text.hpp"
#include "operators/llm/json.hpp"

namespace ke {
namespace {

/// Search words for a text in a kernel's record or the machine's name.
struct Symptom {
  std::string_view text;
  std::string_view words;
  std::string_view limiters = {};  ///< separated by spaces
};
constexpr Symptom symptoms[] = {
    {R"("limiter":"memory")", "memory bandwidth traffic streaming bytes passes fuse", "memory"},
    {R"("limiter":"compute or latency")", "latency accumulators independent register throughput",
     "compute latency"},
    {R"("limiter":"latency")", "latency accumulators independent short rows", "latency"},
    {": memory-bound", "memory bandwidth traffic streaming bytes passes fuse", "memory"},
    {"bound by its instructions", "throughput registers matrix instructions", "compute"},
    {"bound by latency", "latency occupancy independent work in flight pipeline",
     "latency occupancy"},
    {"not coalesced", "coalesced vectorised loads", "memory"},
    {"bank conflicts", "shared memory bank conflicts padding swizzle", "bank_conflicts"},
    {"missed_vectorisation", "vectors width masks tails", "compute"},
    {R"("pattern":"tail")", "tails edges masks"},
    {R"("pattern":"NaN")", "NaN infinity maximum", "accuracy"},
    {R"("inputs":"nan_inf")", "NaN infinity maximum", "accuracy"},
    {R"("inputs":"tiny")", "subnormals flush", "accuracy"},
    {R"("verdict":"wrong_result")", "errors sums accumulator tolerance", "accuracy"},
    {"avx512", "AVX 512"},
    {"avx2", "AVX2"},
    {"NVIDIA H", "H100 H200 Hopper"},
    {"MI300", "MI300X CDNA"},
};

/// KnowledgeWords, separated by spaces, implied by a text.
struct Implication {
  std::string_view text;
  std::string_view words;
};

// The first matching row determines the families, so a longer name comes before those that it
// contains.
constexpr Implication families[] = {
    {"NVIDIA H", "gpu nvidia ampere hopper"},
    {"NVIDIA GH", "gpu nvidia ampere hopper"},
    {"sm_90", "gpu nvidia ampere hopper"},
    {"NVIDIA L", "gpu nvidia ampere ada"},
    {"RTX 40", "gpu nvidia ampere ada"},
    {" Ada", "gpu nvidia ampere ada"},
    {"sm_89", "gpu nvidia ampere ada"},
    {"Tesla", "gpu nvidia"},
    {"NVIDIA T", "gpu nvidia"},
    {"NVIDIA", "gpu nvidia ampere"},
    {"sm_", "gpu nvidia"},
    {"MI3", "gpu amd cdna3"},
    {"gfx94", "gpu amd cdna3"},
    {"MI2", "gpu amd cdna2"},
    {"gfx90a", "gpu amd cdna2"},
    {"AMD Instinct", "gpu amd"},
    {"gfx", "gpu amd"},
    {"avx512", "cpu x86 avx512"},
    {"avx2", "cpu x86 avx2"},
    {"neon", "cpu neon"},
    {"asimd", "cpu neon"},
    {"rv64", "cpu riscv"},
    {"rv32", "cpu riscv"},
    {"riscv", "cpu riscv"},
};
constexpr Implication families_of_language[] = {{"cuda", "gpu nvidia"}, {"triton", "gpu nvidia"},
                                                {"cute", "gpu nvidia"}, {"hip", "gpu amd"},
                                                {"cpp", "cpu"},         {"opencl", "cpu"}};

// Matched against task texts in lower case.
constexpr Implication operations[] = {
    {"softmax", "softmax"},
    {"cross entropy", "softmax reduction"},
    {"normalisation of", "norm"},
    {"normalization", "norm"},
    {"layer norm", "norm"},
    {"layernorm", "norm"},
    {"rmsnorm", "norm"},
    {"rms norm", "norm"},
    {"matrix product", "gemm"},
    {"matrix multipl", "gemm"},
    {"matmul", "gemm"},
    {"gemm", "gemm"},
    {"linear layer", "gemm"},
    {"convolution", "convolution"},
    {"attention", "attention"},
    {"table row", "embedding"},
    {"embedding", "embedding"},
    {"bucket", "bucketize"},
    {"gather", "gather"},
    {"scatter", "scatter"},
    {"index add", "scatter"},
    {"running sum", "scan"},
    {"prefix sum", "scan"},
    {"cumulative", "scan"},
    {"transpose", "transpose"},
    {"sorting", "sort"},
    {"sorts", "sort"},
    {"top-k", "sort"},
    {"elementwise", "elementwise"},
    {"dot products of", "interaction gemm"},
    {"interaction", "interaction gemm"},
    {"any length", "jagged"},
    {"jagged", "jagged"},
    {"sum of the", "reduction"},
    {"reduction", "reduction"},
};

void add_words(std::string_view text, KnowledgeWords& to) {
  for (const std::string_view word : split(text, ' ')) {
    if (!word.empty() && std::ranges::find(to, word) == to.end()) to.emplace_back(word);
  }
}

std::string_view first_paragraph(std::string_view text) {
  return text.substr(0, text.find("\n\n"));
}

std::string lower(std::string_view text) {
  std::string made(text);
  for (char& c : made) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return made;
}

/// The rows whose text is in the feedback of the first parent or in the machine's name; none
/// without a parent.
std::vector<const Symptom*> seen_symptoms(const PromptScene& scene) {
  if (scene.parents.empty()) return {};
  // Searches compact JSON, so that the evaluator's spacing does not matter.
  const Json feedback = parse_json(scene.parents.front().candidate->evaluation.feedback);
  const std::string record = feedback.is_discarded() ? "" : json_text(feedback);
  std::vector<const Symptom*> seen;
  for (const Symptom& symptom : symptoms) {
    const bool shows = record.find(symptom.text) != record.npos ||
                       scene.context.hardware.find(symptom.text) != scene.context.hardware.npos;
    if (shows) seen.push_back(&symptom);
  }
  return seen;
}

KnowledgeWords types_of(std::string_view task_text) {
  const std::string text = lower(first_paragraph(task_text));
  if (text.empty()) return {};
  for (const std::string_view half : {"bfloat16", "float16", "half precision"}) {
    if (text.find(half) != text.npos) return {"half"};
  }
  return {"float32"};
}

std::string language_of(const PromptScene& scene) {
  if (!scene.parents.empty()) return scene.parents.front().candidate->kernel.language;
  return scene.context.kernel_language().kernels;
}

}  // namespace

std::string knowledge_query(const PromptScene& scene) {
  std::string query =
      fmt::format("{} {}", first_paragraph(scene.context.task_text), scene.context.hardware);
  for (const Symptom* symptom : seen_symptoms(scene)) query += fmt::format(" {}", symptom->words);
  return query;
}

KnowledgeWords operations_of(std::string_view task_text) {
  const std::string text = lower(first_paragraph(task_text));
  KnowledgeWords found;
  for (const Implication& operation : operations) {
    if (text.find(operation.text) != text.npos) add_words(operation.words, found);
  }
  return found;
}

KnowledgeWords families_of(std::string_view device_class, std::string_view language) {
  KnowledgeWords found;
  for (const Implication& family : families) {
    if (!found.empty()) break;
    if (device_class.find(family.text) != device_class.npos) add_words(family.words, found);
  }
  for (const Implication& implied : families_of_language) {
    if (found.empty() && language == implied.text) add_words(implied.words, found);
  }
  return found;
}

KnowledgeNeed need_of(const PromptScene& scene) {
  KnowledgeNeed need;
  need.language = language_of(scene);
  need.devices = families_of(scene.context.hardware, need.language);
  need.operations = operations_of(scene.context.task_text);
  need.types = types_of(scene.context.task_text);
  for (const Symptom* symptom : seen_symptoms(scene)) add_words(symptom->limiters, need.limiters);
  need.query = fmt::format("{} {} {}", knowledge_query(scene), fmt::join(need.operations, " "),
                           fmt::join(need.limiters, " "));
  return need;
}

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
    index_.add({passage.id, passage.title, indexed_text(passage), 0});
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
