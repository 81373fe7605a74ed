// Letters of each language and operator contain the rules of their own language and no word of
// another's.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "operators/registry.hpp"
#include "tests/support/options.hpp"

namespace ke {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Spoken {
  std::string_view language;
  std::string_view hardware;
  std::vector<std::string_view> own;      ///< must be in every letter
  std::vector<std::string_view> foreign;  ///< must be in none
};

const std::vector<Spoken> all_spoken = {
    {"cpp",
     "Xeon avx512f avx2",
     {"g++ 12", "<immintrin.h>", "-march=native"},
     {"@launch", "__global__", "NVRTC", "triton", "__kernel", "riscv", "cutlass", "hip/"}},
    {"cuda",
     "NVIDIA H100 80GB HBM3",
     {"NVRTC", "@launch", "mma.sync", "smem_optin"},
     {"g++", "immintrin", "-march=native", "triton", "__kernel void", "riscv", "cutlass", "hip/"}},
    {"hip",
     "NVIDIA H100 80GB HBM3",
     {"warpSize", "@launch", "__HIP_PLATFORM_AMD__"},
     {"g++", "immintrin", "-march=native", "NVRTC", "triton", "__kernel void", "riscv", "cutlass",
      "wgmma", "@tensor_map"}},
    {"opencl",
     "basic-avx512",
     {"PoCL", "@launch", "vload8"},
     {"g++", "immintrin", "__global__", "NVRTC", "triton", "riscv", "cutlass", "-march"}},
    {"triton",
     "NVIDIA H100 80GB HBM3",
     {"tl.constexpr", "# @launch", "num_warps"},
     {"g++", "immintrin", "__global__", "NVRTC", "__kernel void", "riscv", "cutlass",
      "extern \"C\""}},
    {"cute",
     "NVIDIA H100 80GB HBM3",
     {"cute.Pointer", "# @launch", "cutlass.Constexpr"},
     {"g++", "immintrin", "__global__", "NVRTC", "__kernel void", "riscv", "tl.constexpr",
      "extern \"C\""}},
    {"riscv",
     "rv64gcv",
     {"<riscv_vector.h>", "freestanding", "clang 19"},
     {"g++", "immintrin", "__global__", "@launch", "NVRTC", "triton", "__kernel void", "cutlass",
      "-march=native"}}};

constexpr std::string_view asking[] = {"llm_draft",  "llm_mutation",    "llm_crossover",
                                       "llm_repair", "llm_restructure", "universal_oneshot",
                                       "llm_agent"};

CandidatePtr judged(const Language& language, std::int64_t step, Verdict verdict) {
  auto space = parse_kernel_space(language.file, language.example);
  auto made = std::make_shared<Candidate>();
  made->id = {step, 0, 0};
  made->operator_name = "seed_source";
  made->kernel = space->defaults(language.file, language.example);
  made->kernel.language = language.kernels;
  made->genome_hash = made->kernel.genome_hash();
  made->evaluation.verdict = verdict;
  made->evaluation.objective = 1.25;
  made->space = std::make_shared<const KernelSpace>(*std::move(space));
  return made;
}

/// Messages of the first request, concatenated.
std::string letter(const Spoken& spoken, std::string_view name) {
  const Language& language = *find_language(spoken.language);
  const auto op =
      test::make_component(operators(), name, test::text_options({{"knowledge.probability", "0"}}));
  std::vector<Parent> parents;
  if (name == "llm_repair") {
    parents.push_back({judged(language, 1, Verdict::compile_error), ParentRole::failed});
  }
  while (parents.size() < static_cast<std::size_t>(op->arity())) {
    const auto step = static_cast<std::int64_t>(parents.size());
    parents.push_back({judged(language, step, Verdict::ok), ParentRole::parent});
  }
  const auto seed = judged(language, 0, Verdict::ok);
  const std::vector<Seed> seeds{{seed->kernel, seed->space}};
  Context context{seeds, "Sums of rows.", {7, 0, 0}};
  context.hardware = spoken.hardware;
  context.language = &language;
  RandomStream random({1, 0, 7, 0, Purpose::vary});
  const Outcome outcome = op->start(parents, context, random);
  const auto* request = std::get_if<Request>(&outcome);
  if (request == nullptr) return "no request";
  std::string text;
  for (const Message& message : request->request.messages) text += message.text + "\n";
  return text;
}

TEST(Letters, hold_the_rules_of_their_language_and_no_word_of_another) {
  for (const Spoken& spoken : all_spoken) {
    for (const std::string_view name : asking) {
      SCOPED_TRACE(std::string(spoken.language) + " " + std::string(name));
      const std::string text = letter(spoken, name);
      for (const auto word : spoken.own) EXPECT_THAT(text, HasSubstr(std::string(word)));
      for (const auto word : spoken.foreign) EXPECT_THAT(text, Not(HasSubstr(std::string(word))));
      EXPECT_THAT(text, Not(HasSubstr("{{")));
    }
  }
}

std::string golden(std::string_view language) {
  std::ifstream file(std::string(KE_SOURCE_DIR "/tests/golden/letters/") + std::string(language) +
                     "_draft.txt");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// A changed letter changes the treatment in every later study, so a review must see it.
TEST(Letters, of_drafts_are_as_reviewed) {
  for (const Spoken& spoken : all_spoken) {
    SCOPED_TRACE(spoken.language);
    const std::string text = letter(spoken, "llm_draft");
    EXPECT_EQ(text, golden(spoken.language));
    if (text == golden(spoken.language)) continue;
    std::ofstream(std::string(KE_BINARY_DIR) + "/" + std::string(spoken.language) + "_draft.txt")
        << text;  // review it, and copy it if it is right
  }
}

}  // namespace
}  // namespace ke
