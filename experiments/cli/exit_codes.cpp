#include <algorithm>
#include <array>

#include "experiments/cli/verb.hpp"

namespace ke {
namespace {

constexpr std::array<ExitCode, 12> table = {{
    {exit_code::done, "done: planned budget, target, stagnation or an exhausted space", true},
    {exit_code::negative, "a negative answer"},
    {exit_code::usage, "usage or config", true},
    {exit_code::safety, "a safety limit ended it early; results so far are in place"},
    {exit_code::device,
     "device: no compiler, a sandbox level that the machine lacks, or too busy to time kernels"},
    {exit_code::provider, "the model provider refused or cannot be reached, with state saved"},
    {exit_code::replay_miss, "replay miss"},
    {exit_code::store, "store: full, locked, corrupt, or of another schema", true},
    {exit_code::waiting, "waits for answers of a language model, with state saved"},
    {exit_code::bug, "a bug of KernelEvolve", true},
    {exit_code::interrupted, "interrupted, with state saved"},
    {exit_code::terminated, "terminated, with state saved"},
}};

}  // namespace

std::span<const ExitCode> exit_codes() { return table; }

std::vector<ExitCode> exit_codes_of(const Verb& verb) {
  std::vector<ExitCode> codes;
  std::ranges::copy_if(table, std::back_inserter(codes), [&](const ExitCode& one) {
    return one.everywhere || std::ranges::count(verb.exit_codes, one.code) > 0;
  });
  return codes;
}

}  // namespace ke
