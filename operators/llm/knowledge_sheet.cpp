#include "operators/llm/knowledge_sheet.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "core/text.hpp"

namespace ke {
namespace {

/// A key of `for:` lines and its allowed words.
struct Facet {
  std::string_view name;
  KnowledgeWords KnowledgePassage::*words;
  KnowledgeWords known;
};

const std::vector<Facet>& facets() {
  static const std::vector<Facet> all{
      {"device",
       &KnowledgePassage::devices,
       {"cpu", "x86", "avx2", "avx512", "neon", "riscv", "gpu", "nvidia", "ampere", "ada", "hopper",
        "amd", "cdna2", "cdna3"}},
      {"language",
       &KnowledgePassage::languages,
       {"cpp", "cuda", "hip", "opencl", "triton", "cute"}},
      {"operation",
       &KnowledgePassage::operations,
       {"attention", "bucketize", "convolution", "elementwise", "embedding", "gather", "gemm",
        "interaction", "jagged", "norm", "reduction", "scan", "scatter", "softmax", "sort",
        "transpose"}},
      {"limiter",
       &KnowledgePassage::limiters,
       {"memory", "compute", "latency", "occupancy", "bank_conflicts", "launch", "accuracy"}},
      {"type", &KnowledgePassage::types, {"float32", "half"}}};
  return all;
}

/// Reads a sheet line by line.
class SheetReader {
 public:
  explicit SheetReader(const KnowledgeSheet& sheet) : sheet_(sheet) {}

  Result<std::vector<KnowledgePassage>> read() {
    for (const std::string_view line : split(sheet_.text, '\n')) {
      ++number_;
      KE_TRY_VOID(take(line));
    }
    if (fence_ > 0) return error(fence_, "the code has no closing fence");
    return std::move(passages_);
  }

 private:
  static constexpr std::string_view heading_mark = "## ";
  static constexpr std::string_view for_mark = "for:";
  static constexpr std::string_view source_mark = "source:";
  static constexpr std::string_view fence_mark = "```";

  Error error(int line, std::string_view what) const {
    return {Failure::config, fmt::format("{}.md:{}: {}", sheet_.name, line, what)};
  }

  Result<void> take(std::string_view line) {
    const bool in_head = number_ <= head_;
    if (fence_ == 0 && line.starts_with(heading_mark)) return open(line);
    if (passages_.empty()) return {};  // title and sources of the sheet
    KnowledgePassage& passage = passages_.back();
    if (line.starts_with(fence_mark)) return turn_fence(line, passage);
    if (fence_ > 0) {
      passage.code += std::string(line) + "\n";
    } else if (in_head && line.starts_with(for_mark)) {
      return read_for(line.substr(for_mark.size()), passage);
    } else if (!(in_head && line.starts_with(source_mark)) && !trim(line).empty()) {
      passage.prose += std::string(line) + "\n";
    }
    return {};
  }

  Result<void> open(std::string_view line) {
    constexpr int head_lines = 2;  // `for:` and `source:` are directly below the heading
    KnowledgePassage passage;
    passage.title = line.substr(heading_mark.size());
    passage.id = fmt::format("{}: {}", sheet_.name, passage.title);
    passages_.push_back(std::move(passage));
    head_ = number_ + head_lines;
    keys_.clear();
    return {};
  }

  Result<void> turn_fence(std::string_view line, KnowledgePassage& passage) {
    const std::string_view label = line.substr(fence_mark.size());
    if (fence_ == 0) {
      if (!passage.code.empty()) return error(number_, "a second piece of code in a passage");
      if (passage.languages != KnowledgeWords{std::string(label)}) {
        return error(number_, fmt::format("code in '{}' in a passage for language={}", label,
                                          fmt::join(passage.languages, ",")));
      }
    }
    passage.code += std::string(line) + "\n";
    fence_ = fence_ == 0 ? number_ : 0;
    return {};
  }

  Result<void> read_for(std::string_view text, KnowledgePassage& passage) {
    for (const std::string_view part : split(trim(text), ' ')) {
      const std::size_t equals = part.find('=');
      const std::string_view key = part.substr(0, equals);
      const auto facet = std::ranges::find(facets(), key, &Facet::name);
      if (equals == part.npos || facet == facets().end()) {
        return error(
            number_,
            fmt::format("'{}' is none of device=, language=, operation=, limiter=, type=", part));
      }
      if (!keys_.insert(std::string(key)).second) {
        return error(number_, fmt::format("'{}' stands twice", key));
      }
      KE_TRY_VOID(read_words(part.substr(equals + 1), *facet, passage));
    }
    return {};
  }

  Result<void> read_words(std::string_view text, const Facet& facet, KnowledgePassage& passage) {
    for (const std::string_view word : split(text, ',')) {
      if (std::ranges::find(facet.known, word) == facet.known.end()) {
        return error(number_,
                     fmt::format("unknown {} '{}'; known are {}{}", facet.name, word,
                                 fmt::join(facet.known, ", "), suggestion(word, facet.known)));
      }
      (passage.*facet.words).emplace_back(word);
    }
    return {};
  }

  const KnowledgeSheet& sheet_;
  std::vector<KnowledgePassage> passages_;
  std::set<std::string> keys_;  ///< keys of the passage's `for:` line
  int number_ = 0;
  int head_ = 0;   ///< last line that may be `for:` or `source:`
  int fence_ = 0;  ///< line of the open fence
};

}  // namespace

std::string KnowledgePassage::text() const {
  return fmt::format("### {}\n{}{}", title, prose, code);
}

Result<std::vector<KnowledgePassage>> parse_knowledge(const KnowledgeSheet& sheet) {
  return SheetReader(sheet).read();
}

}  // namespace ke
