#include "operators/llm/knowledge.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "core/text.hpp"
#include "tests/support/options.hpp"

namespace ke {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// A judged kernel with this record, on this machine.
struct Scene {
  explicit Scene(const std::string& record, std::string_view hardware = "Xeon avx2 avx512f",
                 const std::string& language = "cpp",
                 std::string_view task = "Softmax over each row.") {
    auto candidate = std::make_shared<Candidate>();
    candidate->evaluation.feedback = record;
    candidate->kernel.language = language;
    parents = {{candidate, ParentRole::parent}};
    context.task_text = task;
    context.hardware = hardware;
  }
  std::vector<Parent> parents;
  Context context{{}, "", {7, 0, 0}};

  std::string look_up(const std::string& probability, std::uint64_t seed = 1,
                      const std::string& passages = "16",
                      const std::string& tokens = "90000") const {
    const Node options = test::options({{"probability", test::scalar(probability)},
                                        {"tokens", test::scalar(tokens)},
                                        {"passages", test::scalar(passages)}});
    ParamLog log;
    Params params(&options, "", log);
    RandomStream random({seed, 0, 7, 0, Purpose::vary});
    return Knowledge(params).look_up({parents, context}, random);
  }
};

std::vector<KnowledgePassage> shipped_passages() {
  std::vector<KnowledgePassage> all;
  for (const KnowledgeSheet& sheet : knowledge_sheets()) {
    const auto passages = parse_knowledge(sheet);
    EXPECT_TRUE(passages) << passages.error().message;
    if (passages) all.insert(all.end(), passages->begin(), passages->end());
  }
  return all;
}

/// Titles offered to a scene, best first.
std::vector<std::string> titles_for(const Scene& scene) {
  std::vector<std::string> titles;
  const KnowledgeShelf shelf(shipped_passages());
  for (const KnowledgePassage* passage : shelf.fitting(need_of({scene.parents, scene.context}))) {
    titles.push_back(passage->title);
  }
  return titles;
}

std::string parse_error(std::string_view text) {
  const auto passages = parse_knowledge({"sheet", text});
  return passages ? "no error" : passages.error().message;
}

constexpr const char* memory_bound = R"({"timing":{"workloads":[{"limiter":"memory"}]}})";
constexpr const char* busy = R"({"timing":{"workloads":[{"limiter":"compute or latency"}]}})";
constexpr std::string_view h100 = "NVIDIA H100 80GB HBM3; driver 13.0; cold caches";
constexpr std::string_view linear_layer =
    "A linear layer with GELU in bfloat16: y[i][j] = gelu(bias[j] + sum_p x[i][p] weight[j][p])";

TEST(Knowledge, every_sheet_has_a_title_sources_and_short_passages_of_their_own) {
  for (const KnowledgeSheet& sheet : knowledge_sheets()) {
    EXPECT_TRUE(sheet.text.starts_with("# ")) << sheet.name;
    EXPECT_THAT(std::string(sheet.text), HasSubstr("\nsource: ")) << sheet.name;
    EXPECT_LT(sheet.text.size(), 64u << 10) << sheet.name;
  }
  std::set<std::string> titles;
  for (const KnowledgePassage& passage : shipped_passages()) {
    EXPECT_TRUE(titles.insert(passage.title).second) << passage.title;
    EXPECT_GT(passage.prose.size(), 100u) << passage.title;
    EXPECT_LT(estimated_tokens(passage.prose), 300) << passage.title;
    EXPECT_LT(estimated_tokens(passage.code), 3000) << passage.title;
  }
}

TEST(Knowledge, holds_eighty_passages_and_forty_pieces_of_code) {
  const auto passages = shipped_passages();
  EXPECT_GE(passages.size(), 80u);
  EXPECT_GE(std::ranges::count_if(passages, [](const auto& each) { return !each.code.empty(); }),
            40);
}

TEST(Knowledge, is_of_every_language) {
  std::map<std::string, int> code;
  for (const KnowledgePassage& passage : shipped_passages()) {
    if (!passage.code.empty()) ++code[passage.languages.front()];
  }
  for (const char* language : {"cpp", "cuda", "hip", "opencl", "triton", "cute"}) {
    EXPECT_GE(code[language], 3) << language;
  }
}

TEST(Knowledge, wrong_metadata_is_an_error_with_sheet_and_line) {
  EXPECT_EQ(parse_error("# T\n\n## One\nfor: device=avx513\n"),
            "sheet.md:4: unknown device 'avx513'; known are cpu, x86, avx2, avx512, neon, riscv, "
            "gpu, nvidia, ampere, ada, hopper, amd, cdna2, cdna3; did you mean 'avx512'?");
  EXPECT_THAT(parse_error("## One\nfor: language=cpp,fortran\n"),
              HasSubstr("sheet.md:2: unknown language 'fortran'; known are cpp, cuda"));
  EXPECT_THAT(parse_error("## One\nfor: operation=\n"), HasSubstr("unknown operation ''"));
  EXPECT_THAT(parse_error("## One\nfor: limiter=luck\n"), HasSubstr("unknown limiter 'luck'"));
  EXPECT_EQ(parse_error("## One\nfor: devices=cpu\n"),
            "sheet.md:2: 'devices=cpu' is none of device=, language=, operation=, limiter=, type=");
  EXPECT_EQ(parse_error("## One\nfor: device=cpu device=gpu\n"),
            "sheet.md:2: 'device' stands twice");
}

TEST(Knowledge, wrong_code_is_an_error_with_sheet_and_line) {
  EXPECT_EQ(parse_error("## One\nfor: language=hip\nText.\n```cuda\n```\n"),
            "sheet.md:4: code in 'cuda' in a passage for language=hip");
  EXPECT_EQ(parse_error("## One\nText.\n```cpp\n```\n"),
            "sheet.md:3: code in 'cpp' in a passage for language=");
  EXPECT_EQ(parse_error("## One\nfor: language=cpp\n```cpp\n## Two\n"),
            "sheet.md:3: the code has no closing fence");
  EXPECT_EQ(parse_error("## One\nfor: language=cpp\n```cpp\n```\n```cpp\n```\n"),
            "sheet.md:5: a second piece of code in a passage");
}

TEST(Knowledge, a_passage_has_prose_code_and_whom_it_is_for) {
  const auto passages = parse_knowledge(
      {"sheet",
       "# T\nsource: S\n\n## One\nfor: device=ada language=cuda limiter=memory,launch\n"
       "source: a book\nFirst.\n\nSecond.\n```cuda\n## a\n```\n\n## Two\nThird.\n"});
  ASSERT_TRUE(passages) << passages.error().message;
  ASSERT_EQ(passages->size(), 2u);
  const KnowledgePassage& one = passages->front();
  EXPECT_EQ(one.id, "sheet: One");
  EXPECT_EQ(one.prose, "First.\nSecond.\n");
  EXPECT_EQ(one.code, "```cuda\n## a\n```\n");
  EXPECT_THAT(one.devices, ElementsAre("ada"));
  EXPECT_THAT(one.languages, ElementsAre("cuda"));
  EXPECT_THAT(one.operations, IsEmpty());
  EXPECT_THAT(one.limiters, ElementsAre("memory", "launch"));
  EXPECT_EQ(passages->back().prose, "Third.\n");
}

TEST(Knowledge, answers_what_the_judge_found) {
  EXPECT_THAT(Scene(memory_bound).look_up("1"), HasSubstr("### Signs that memory is the limit"));
  const std::string wrong = R"({"verdict":"wrong_result","failure":{"inputs":"nan_inf"}})";
  EXPECT_THAT(Scene(wrong).look_up("1"), HasSubstr("### NaN and infinity"));
}

TEST(Knowledge, a_product_that_computes_on_hopper_is_told_of_warpgroups) {
  const auto titles = titles_for(Scene(busy, h100, "cuda", linear_layer));
  ASSERT_GE(titles.size(), 3u);
  const std::vector<std::string> first(titles.begin(), titles.begin() + 3);
  EXPECT_THAT(first, Contains(HasSubstr("wgmma"))) << testing::PrintToString(titles);
  EXPECT_THAT(Scene(busy, h100, "cuda", linear_layer).look_up("1", 1, "3"),
              HasSubstr("wgmma.mma_async"));
}

TEST(Knowledge, products_in_float32_are_told_of_splits_and_those_of_half_types_are_not) {
  constexpr std::string_view sgemm = "Matrix product c = a b in float32, all three row-major";
  EXPECT_THAT(titles_for(Scene(busy, h100, "cuda", sgemm)).front(), HasSubstr("3xTF32"));
  EXPECT_THAT(titles_for(Scene(busy, h100, "cuda", linear_layer)).front(), HasSubstr("wgmma"));
}

TEST(Knowledge, code_and_rules_of_another_language_are_never_given) {
  const std::multimap<std::string, std::string_view> machines{
      {"cuda", h100},
      {"triton", h100},
      {"hip", "compiled for gfx90a, gfx942"},
      {"hip", h100},
      {"cpp", "Xeon avx2 avx512f"},
      {"opencl", "cpu-sapphirerapids-Xeon"},
      {"cute", h100},
      {"cpp", "rv64gcv-256-qemu; prices 1a2b"}};
  const KnowledgeShelf shelf(shipped_passages());
  for (const auto& [language, hardware] : machines) {
    for (const char* record : {memory_bound, busy, "{}"}) {
      const Scene scene(record, hardware, language, linear_layer);
      for (const auto* passage : shelf.fitting(need_of({scene.parents, scene.context}))) {
        if (passage->languages.empty()) {
          EXPECT_EQ(passage->code, "") << passage->title;
        } else {
          EXPECT_THAT(passage->languages, Contains(language)) << passage->title;
        }
      }
    }
  }
}

TEST(Knowledge, keeps_to_the_kind_of_machine) {
  const std::string host = Scene(memory_bound).look_up("1");
  EXPECT_THAT(host, Not(HasSubstr("Hopper")));
  const std::string device = Scene(memory_bound, "NVIDIA H200 sm_90", "cuda").look_up("1");
  EXPECT_THAT(device, HasSubstr("Hopper"));
  EXPECT_THAT(device, Not(HasSubstr("AVX")));
  EXPECT_THAT(Scene(busy, "AMD EPYC avx2", "cpp", linear_layer).look_up("1"),
              testing::AllOf(HasSubstr("_mm256_fmadd_ps"), Not(HasSubstr("_mm512"))));
  EXPECT_THAT(Scene(busy, "Xeon avx2 avx512f", "cpp", linear_layer).look_up("1"),
              testing::AllOf(HasSubstr("_mm512_fmadd_ps"), Not(HasSubstr("vfmaq"))));
  EXPECT_THAT(Scene(busy, "NVIDIA A100-SXM4-80GB", "cuda", linear_layer).look_up("1"),
              testing::AllOf(HasSubstr("mma.sync"), Not(HasSubstr("wgmma.mma_async"))));
  EXPECT_THAT(Scene(busy, "rv64gcv-256-qemu; prices 1a", "cpp", linear_layer).look_up("1"),
              testing::AllOf(HasSubstr("vfmacc"), Not(HasSubstr("_mm512"))));
}

TEST(Knowledge, families_follow_from_the_device_class_else_from_the_language) {
  EXPECT_THAT(families_of(h100, "cuda"), ElementsAre("gpu", "nvidia", "ampere", "hopper"));
  EXPECT_THAT(families_of("NVIDIA L40S; driver 13.0", "cuda"),
              ElementsAre("gpu", "nvidia", "ampere", "ada"));
  EXPECT_THAT(families_of("AMD Instinct MI300X; ROCm 6", "hip"),
              ElementsAre("gpu", "amd", "cdna3"));
  EXPECT_THAT(families_of("Xeon avx2 fma avx512f", "cpp"), ElementsAre("cpu", "x86", "avx512"));
  EXPECT_THAT(families_of("somewhere", "hip"), ElementsAre("gpu", "amd"));
  EXPECT_THAT(families_of("somewhere", "brainfuck"), IsEmpty());
}

TEST(Knowledge, operations_follow_from_the_words_of_a_task) {
  EXPECT_THAT(operations_of(linear_layer), ElementsAre("gemm"));
  EXPECT_THAT(operations_of("Sum of table rows: out[i][d] = sum over j of .."),
              ElementsAre("embedding"));
  EXPECT_THAT(operations_of("Bucketize, then gather: row i of .."),
              ElementsAre("bucketize", "gather"));
  EXPECT_THAT(operations_of("Pairwise dot products of the feature vectors"),
              ElementsAre("interaction", "gemm"));
  EXPECT_THAT(operations_of("Something new.\n\nsoftmax(in the reference)"), IsEmpty());
}

TEST(Knowledge, passages_that_do_not_fit_the_limit_are_left_out_whole) {
  const Scene scene(busy, h100, "cuda", linear_layer);
  for (const char* tokens : {"16", "300", "1000", "4000"}) {
    const std::string text = scene.look_up("1", 1, "3", tokens);
    EXPECT_LE(estimated_tokens(text), std::stoll(tokens));
    int fences = 0;
    for (const std::string_view line : split(text, '\n')) fences += line.starts_with("```") ? 1 : 0;
    EXPECT_EQ(fences % 2, 0) << text;
  }
  EXPECT_EQ(scene.look_up("1", 1, "3", "16"), "");
}

TEST(Knowledge, is_given_as_often_as_the_probability_says) {
  const Scene scene(memory_bound);
  int given = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    given += scene.look_up("0.25", seed).empty() ? 0 : 1;
  }
  EXPECT_NEAR(given, 25, 18);  // four standard deviations
  EXPECT_EQ(scene.look_up("0"), "");
}

TEST(Knowledge, half_of_all_prompts_are_given_some_by_default) {
  ParamLog log;
  Params params(nullptr, "", log);
  const Knowledge knowledge(params);
  EXPECT_EQ(log.values.at("probability"), "0.5");
}

TEST(Knowledge, equal_streams_give_equal_passages) {
  const Scene scene(memory_bound);
  EXPECT_EQ(scene.look_up("0.5", 3), scene.look_up("0.5", 3));
}

}  // namespace
}  // namespace ke
