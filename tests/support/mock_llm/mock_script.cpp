#include "tests/support/mock_llm/mock_script.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "core/random_stream.hpp"

namespace ke {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> files_of(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    if (at->is_regular_file()) paths.push_back(at->path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> texts;
  for (const fs::path& path : paths) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    texts.push_back(text.str());
  }
  return texts;
}

/// Replies, keyed by the word of the prompt that selects them; "" = any prompt.
struct Replies {
  std::map<std::string, std::vector<std::string>> by_word;
  std::map<std::string, std::size_t> given = {};

  MockTurn next(const MockRequest& request) {
    std::string chosen;
    std::size_t first = request.prompt.npos;
    for (const auto& [word, texts] : by_word) {
      const std::size_t at = word.empty() ? request.prompt.npos : request.prompt.find(word);
      if (at >= first) continue;
      first = at;
      chosen = word;
    }
    const auto found = by_word.find(chosen);
    if (found == by_word.end()) return {MockFault::empty};
    return {MockFault::none, found->second[given[chosen]++ % found->second.size()]};
  }
};

}  // namespace

std::vector<std::string> mock_fault_names() {
  return {"none",          "rate_limit", "no_credit", "server_error", "unavailable",
          "overloaded",    "slow",       "stalled",   "cut",          "truncated_json",
          "empty",         "refusal",    "huge",      "wrong_type",   "echo",
          "bad_parameter", "no_tools",   "reasoning", "held"};
}

MockScript mock_queue(std::vector<MockTurn> turns) {
  KE_CHECK(!turns.empty());
  return [turns = std::move(turns), next = std::size_t{0}](const MockRequest&) mutable {
    const std::size_t now = std::min(next++, turns.size() - 1);
    return turns[now];
  };
}

Result<MockScript> mock_folder(const std::string& folder) {
  Replies replies;
  std::error_code failed;
  if (!fs::is_directory(folder, failed)) {
    return Error{Failure::io, fmt::format("{}: is no folder of replies", folder)};
  }
  if (auto texts = files_of(folder); !texts.empty()) replies.by_word[""] = std::move(texts);
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    if (!at->is_directory()) continue;
    auto texts = files_of(at->path());
    if (texts.empty()) {
      return Error{Failure::io, fmt::format("{}: holds no reply", at->path().string())};
    }
    replies.by_word[at->path().filename().string()] = std::move(texts);
  }
  if (replies.by_word.empty()) {
    return Error{Failure::io, fmt::format("{}: holds no reply", folder)};
  }
  return MockScript([replies = std::move(replies)](const MockRequest& request) mutable {
    return replies.next(request);
  });
}

MockScript mock_faults(double share, std::uint64_t seed, std::vector<MockFault> faults,
                       MockScript inner) {
  KE_CHECK(!faults.empty());
  return [=](const MockRequest& request) {
    RandomStream random({seed, 0, request.number, 0, Purpose::test});
    MockTurn turn = inner(request);
    if (random.uniform() < share) turn.fault = faults[random.below(faults.size())];
    return turn;
  };
}

}  // namespace ke
