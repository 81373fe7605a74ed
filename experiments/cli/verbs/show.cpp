#include <fmt/format.h>

#include "core/language.hpp"
#include "experiments/cli/verb.hpp"
#include "experiments/run/evaluators/cpu.hpp"
#include "experiments/run/run_files.hpp"
#include "experiments/text/json.hpp"
#include "experiments/view/report/candidates.hpp"
#include "experiments/view/report/conversation.hpp"
#include "experiments/view/report/hints.hpp"
#include "experiments/view/report/run_json.hpp"
#include "experiments/view/report/run_report.hpp"
#include "fitness/task_contract.hpp"
#include "operators/llm/contract_section.hpp"

namespace ke::verbs {
namespace {

Result<int> show_candidate(const Arguments& arguments, Console& console) {
  const std::string word = arguments.text("candidate");
  KE_TRY(const auto reader, open_run(arguments.positionals()[0]));
  KE_TRY(const CandidateView view, find_candidate(*reader, word));
  std::string text = candidate_text(*view.candidate);
  if (arguments.has("source")) text += "\n" + view.candidate->kernel.source;
  write_either(console.out, arguments.has("json"), json_of(*view.candidate, true), text);
  return exit_code::done;
}

/// `step.island.slot`, or a step number for slot 0 of island 0.
std::string slot_of(const std::string& word) {
  return word.find('.') == word.npos && word != "champion" ? word + ".0.0" : word;
}

Result<int> show_prompt(const Arguments& arguments, Console& console) {
  const auto& words = arguments.positionals();
  if (words.size() != 3) return Error{Failure::usage, "it is 'show prompt RUN STEP'"};
  KE_TRY(const std::shared_ptr<const RunReader> reader, open_run(words[1]));
  KE_TRY(const CandidateView view, find_candidate(*reader, slot_of(words[2])));
  KE_TRY(const Conversation conversation, conversation_of(reader, view));
  write_either(console.out, arguments.has("json"), json_of(conversation), text_of(conversation));
  return conversation.exchanges.empty() ? exit_code::negative : exit_code::done;
}

Result<int> show_prompts(const Arguments& arguments, Console& console) {
  const auto& words = arguments.positionals();
  if (words.size() != 2) return Error{Failure::usage, "it is 'show prompts RUN'"};
  KE_TRY(const std::shared_ptr<const RunReader> reader, open_run(words[1]));
  KE_TRY(const HintReport report, hints_of(reader));
  write_either(console.out, arguments.has("json"), json_of(report), text_of(report));
  return report.hints.empty() ? exit_code::negative : exit_code::done;
}

/// Contract whose arguments are written like the task's seed in that language.
Result<TaskContract> contract_in(const Task& task, const std::string& language) {
  TaskContract contract = contract_of(task);
  if (language.empty() || language == task.language) return contract;
  if (task.language_of(language) != language) {
    return Error{Failure::usage, fmt::format("show contract: task '{}' has kernels in {} and none "
                                             "in '{}'",
                                             task.name, task.language, language)};
  }
  contract.language = language;
  return contract;
}

Result<int> show_contract(const Arguments& arguments, Console& console) {
  const auto& words = arguments.positionals();
  if (words.size() < 2 || words.size() > 3) {
    return Error{Failure::usage, "it is 'show contract TASK [LANGUAGE]'"};
  }
  KE_TRY(const auto task, load_task(words[1], "."));
  KE_TRY(const TaskContract contract, contract_in(*task, words.size() > 2 ? words[2] : ""));
  const Language& language = language_of_kernels(contract.language);
  const std::string text =
      fmt::format("{}{}## Kernels in {}\n{}\n", task_section(task->text()),
                  contract_text(contract, nullptr), language.title, language.rules);
  write_either(console.out, arguments.has("json"), {{"task", task->name}, {"contract", text}},
               text);
  return exit_code::done;
}

Result<int> run_show(const Arguments& arguments, Console& console) {
  if (arguments.positionals()[0] == "prompt") return show_prompt(arguments, console);
  if (arguments.positionals()[0] == "prompts") return show_prompts(arguments, console);
  if (arguments.positionals()[0] == "contract") return show_contract(arguments, console);
  if (arguments.has("candidate")) return show_candidate(arguments, console);
  KE_TRY_VOID(print_results(arguments.positionals(), arguments.has("json"), console));
  return exit_code::done;
}

}  // namespace

Verb show() {
  return {
      .name = "show",
      .positionals = "RUN ... | prompt RUN STEP | prompts RUN | contract TASK [LANGUAGE]",
      .least = 1,
      .most = 1000,
      .summary = "print runs with their champions and verified speedups, or one candidate",
      .details =
          "Verified figures were measured afresh, against each baseline, after the champion\n"
          "was chosen; 'seen' figures are those of the search. A run on several devices also\n"
          "prints the champion of each, and what became of kernels that went from one to another.\n"
          "'show prompt RUN STEP' prints the conversation with a language model of a step (step "
          "or\n"
          "step.island.slot): prompts, answers, and what became of them. 'show prompts RUN' "
          "prints\n"
          "the hints that a run with the section 'hints' bred, and what each led to.\n"
          "'show contract TASK [LANGUAGE]' prints what prompts tell of a task: what it computes,\n"
          "arguments, accuracy, public shapes and the rules of the language; a run adds the "
          "floors\n"
          "of its device.",
      .options = {{"candidate", 'c', "ID", "", "one candidate: step.island.slot or champion"},
                  {"source", 's', "", "", "with --candidate: its source too"}},
      .exit_codes = {exit_code::negative},
      .example = "kernelevolve show runs/first",
      .run = &run_show};
}

}  // namespace ke::verbs
