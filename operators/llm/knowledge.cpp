#include "operators/llm/knowledge.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/memory/memory_knowledge_index.hpp"
#include "core/text.hpp"
#include "operators/llm/json.hpp"

namespace ke {
namespace {

constexpr std::string_view heading_mark = "## ";

/// What to look for when the record of a kernel or the name of the machine holds this text.
struct Symptom {
  std::string_view text;
  std::string_view words;
};
constexpr Symptom symptoms[] = {
    {R"("limiter":"memory")", "memory bandwidth traffic streaming bytes passes fuse"},
    {R"("limiter":"compute or latency")", "latency accumulators independent register throughput"},
    {R"("limiter":"latency")", "latency accumulators independent short rows"},
    {": memory-bound", "memory bandwidth traffic streaming bytes passes fuse"},
    {"bound by its instructions", "throughput registers matrix instructions"},
    {"bound by latency", "latency occupancy independent work in flight pipeline"},
    {"not coalesced", "coalesced vectorised loads"},
    {"bank conflicts", "shared memory bank conflicts padding swizzle"},
    {"missed_vectorisation", "vectors width masks tails"},
    {R"("pattern":"tail")", "tails edges masks"},
    {R"("pattern":"NaN")", "NaN infinity maximum"},
    {R"("inputs":"nan_inf")", "NaN infinity maximum"},
    {R"("inputs":"tiny")", "subnormals flush"},
    {R"("verdict":"wrong_result")", "errors sums accumulator tolerance"},
    {"avx512", "AVX 512"},
    {"avx2", "AVX2"},
    {"NVIDIA H", "H100 H200 Hopper"},
    {"MI300", "MI300X CDNA"},
};

/// Sheets of the other kind of machine say nothing of this one.
bool is_about(const Passage& passage, std::string_view hardware) {
  constexpr std::string_view accelerators[] = {"NVIDIA", "sm_", "AMD Instinct", "gfx"};
  const bool accelerator = std::ranges::any_of(
      accelerators, [&](std::string_view name) { return hardware.find(name) != hardware.npos; });
  return !passage.id.starts_with(accelerator ? "cpu_" : "gpu_");
}

std::string_view first_paragraph(std::string_view text) {
  return text.substr(0, text.find("\n\n"));
}

}  // namespace

std::vector<Passage> knowledge_passages() {
  std::vector<Passage> passages;
  for (const KnowledgeSheet& sheet : knowledge_sheets()) {
    bool inside = false;  // before the first heading stand title and sources
    for (const std::string_view line : split(sheet.text, '\n')) {
      if (line.starts_with(heading_mark)) {
        const std::string title(line.substr(heading_mark.size()));
        passages.push_back({fmt::format("{}: {}", sheet.name, title), title, "", 0});
        inside = true;
      } else if (inside) {
        passages.back().text += std::string(line) + "\n";
      }
    }
  }
  return passages;
}

std::string knowledge_version() {
  Encoder out;
  for (const KnowledgeSheet& sheet : knowledge_sheets()) {
    out(std::string(sheet.name))(std::string(sheet.text));
  }
  return out.digest().short_hex(8);
}

std::string knowledge_query(const PromptScene& scene) {
  std::string query =
      fmt::format("{} {}", first_paragraph(scene.context.task_text), scene.context.hardware);
  if (scene.parents.empty()) return query;
  // Symptoms are looked for in compact JSON, whatever the evaluator's spaces.
  const Json feedback = parse_json(scene.parents.front().candidate->evaluation.feedback);
  const std::string record = feedback.is_discarded() ? "" : json_text(feedback);
  for (const Symptom& symptom : symptoms) {
    const bool seen = record.find(symptom.text) != record.npos ||
                      scene.context.hardware.find(symptom.text) != scene.context.hardware.npos;
    if (seen) query += fmt::format(" {}", symptom.words);
  }
  return query;
}

Knowledge::Knowledge(Params& params)
    : probability_(params.real("probability", 0, {0, 1},
                               "chance that a prompt is given passages of the knowledge sheets")),
      passages_(static_cast<std::size_t>(
          params.integer("passages", 3, {1, 16}, "how many of them at most"))),
      tokens_(params.integer("tokens", 900, {16, 100'000}, "limit of all of them together")) {
  if (probability_ == 0) return;
  index_ = std::make_unique<MemoryKnowledgeIndex>();
  for (const Passage& passage : knowledge_passages()) KE_CHECK(index_->add(passage));
}

Knowledge::~Knowledge() = default;

std::string Knowledge::look_up(const PromptScene& scene, RandomStream& random) const {
  if (!index_ || random.uniform() >= probability_) return "";
  constexpr std::size_t all = 1000;
  const auto found = index_->search(knowledge_query(scene), scene.context.id.step + 1, all);
  std::string text;
  std::size_t taken = 0;
  for (const Passage& passage : found ? *found : std::vector<Passage>()) {
    if (taken == passages_ || !is_about(passage, scene.context.hardware)) continue;
    text += fmt::format("### {}\n{}", passage.title, passage.text);
    ++taken;
  }
  if (text.empty()) return text;
  text = "## What is known about such kernels and machines\n" + text;
  return cut_to_tokens(std::move(text), tokens_);
}

}  // namespace ke
