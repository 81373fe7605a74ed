#include "experiments/dispatch/kept_answers.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "experiments/run/ask.hpp"
#include "experiments/run/atomic_file.hpp"

namespace ke {

Result<Fact> KeptAnswers::ask(const Job& job) {
  const std::string path = folder_ + "/" + job.key.hex() + ".fact";
  if (std::ifstream file(path, std::ios::binary); file) {
    auto kept = decode<Fact>(std::string{std::istreambuf_iterator<char>(file), {}});
    if (kept) return kept;
  }
  KE_TRY(Fact fact, ask_reliably(evaluator_, job, "dispatch/1"));
  if (is_worth_asking_again(fact.verdict)) return fact;
  std::error_code code;
  std::filesystem::create_directories(folder_, code);
  if (code)
    return Error{Failure::io, fmt::format("{}: cannot be created: {}", folder_, code.message())};
  KE_TRY_VOID(write_atomically(path, encode(fact)));
  return fact;
}

}  // namespace ke
