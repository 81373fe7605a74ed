#include <fmt/format.h>

#include "experiments/cli/verb.hpp"
#include "experiments/run/run_files.hpp"
#include "experiments/study/summary/unified_diff.hpp"
#include "experiments/text/json.hpp"
#include "experiments/view/report/candidates.hpp"

namespace ke::verbs {
namespace {

std::string label(const CandidateView& view) {
  return fmt::format("{} {}", view.candidate->id.text(), view.candidate->kernel.name);
}

/// Older side of the diff: the second ID, or the seed that the candidate descends from.
Result<CandidateView> older(const RunReader& reader, const std::vector<std::string>& words,
                            const CandidateView& newer) {
  if (words.size() > 2) return find_candidate(reader, words[2]);
  return seed_of(reader, newer);
}

Result<int> run_diff(const Arguments& arguments, Console& console) {
  const auto& words = arguments.positionals();
  KE_TRY(const auto reader, open_run(words[0]));
  KE_TRY(const CandidateView newer,
         find_candidate(*reader, words.size() > 1 ? words[1] : "champion"));
  KE_TRY(const CandidateView old, older(*reader, words, newer));
  const std::string text = unified_diff(label(old), comparable_text(old.candidate->kernel),
                                        label(newer), comparable_text(newer.candidate->kernel));
  write_either(console.out, arguments.has("json"),
               {{"old", old.candidate->id.text()},
                {"new", newer.candidate->id.text()},
                {"equal", text.empty()},
                {"diff", text}},
               text.empty() ? "no difference\n" : text);
  return exit_code::done;
}

}  // namespace

Verb diff() {
  return {
      .name = "diff",
      .positionals = "RUN [ID [OTHER]]",
      .least = 1,
      .most = 3,
      .summary = "print how a candidate differs from another, or from the seed it descends from",
      .details =
          "Knobs and flags stand as comment lines above the source. ID and OTHER are\n"
          "step.island.slot or champion; without ID it is the champion.",
      .options = {},
      .example = "kernelevolve diff runs/first/function_base.rastrigin.s1.kev",
      .run = &run_diff};
}

}  // namespace ke::verbs
