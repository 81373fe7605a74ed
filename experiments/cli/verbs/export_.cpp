#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <ostream>

#include "archive/recorded_facts.hpp"
#include "archive/run_reader.hpp"
#include "experiments/cli/verb.hpp"
#include "experiments/run/evaluators/cpu.hpp"
#include "experiments/run/python_package.hpp"
#include "experiments/run/run_files.hpp"
#include "experiments/study/landscape/recording_file.hpp"
#include "experiments/study/landscape/run_landscape.hpp"
#include "experiments/study/summary/distil.hpp"
#include "experiments/text/json.hpp"
#include "experiments/text/table.hpp"
#include "experiments/view/report/candidates.hpp"
#include "experiments/view/report/conversation.hpp"
#include "experiments/view/report/kernel_folder.hpp"
#include "experiments/view/report/run_json.hpp"
#include "experiments/view/report/run_tables.hpp"

namespace ke::verbs {
namespace {

// Exports all candidates of runs, one row each.

enum class TableFormat { csv, jsonl };

std::string csv_row(const std::string& run, const std::string& task, const CandidateView& view) {
  const Candidate& c = *view.candidate;
  const Evaluation& e = c.evaluation;
  std::vector<std::string> parents;
  for (const Ancestor& a : c.ancestors) parents.push_back(a.id.text());
  const bool ok = e.verdict == Verdict::ok && c.outcome != OutcomeKind::no_child;
  const std::string verdict =
      c.outcome == OutcomeKind::no_child ? "" : std::string(to_string(e.verdict));
  const std::string reason = c.outcome == OutcomeKind::no_child ? c.no_child_reason : e.reason;
  return fmt::format(
      "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(run), csv_field(task), c.id.step,
      c.id.island, c.id.slot, csv_field(c.operator_name), to_string(c.outcome), verdict,
      csv_field(reason), ok ? fmt::format("{}", e.objective) : "",
      ok ? fmt::format("{}", e.interval.low) : "", ok ? fmt::format("{}", e.interval.high) : "",
      csv_field(fmt::format("{}", fmt::join(parents, " "))),
      csv_field(c.outcome == OutcomeKind::no_child ? "" : genome_text(c.kernel)),
      c.genome_hash.is_zero() ? "" : c.genome_hash.hex());
}

/// Header of the CSV form, with line end.
std::string candidate_csv_head() {
  return "run,task,step,island,slot,operator,outcome,verdict,reason,objective,ci_low,ci_high,"
         "parents,"
         "kernel,genome_hash\n";
}

/// Writes one row per candidate in commit order. CSV follows RFC 4180; JSONL also has parents,
/// measures and knobs.
Result<void> write_candidates(const RunReader& reader, TableFormat format, std::ostream& out) {
  KE_TRY(const RunHeader header, reader.header());
  for (std::int64_t row = 1;; ++row) {
    KE_TRY(const auto view, reader.candidate_at(row));
    if (!view) return {};
    if (format == TableFormat::csv) {
      out << csv_row(reader.run_id(), header.task, *view);
    } else {
      Json json = {{"run", reader.run_id()}, {"task", header.task}};
      json.update(json_of(*view->candidate, false));
      out << json_text(json) << "\n";
    }
  }
}

/// Folder of the task's headers; "" if the task has none, or if the folder is gone, which `console`
/// reports.
std::string include_dir_of(const RunReader& reader, const RunHeader& header, Console& console) {
  const std::string indexed = indexed_task_folder(reader.path());
  std::error_code code;
  const bool there = std::filesystem::exists(indexed, code);
  const auto task = load_task(there ? indexed : header.task, ".");
  if (task && (*task)->content_hash == header.task_hash) return (*task)->include_dir;
  const auto evaluator = recorded_evaluator(reader);
  const bool compiled = evaluator && *evaluator && (*evaluator)->kind == "cpu";
  if (!compiled) return {};
  console.err << fmt::format(
      "warning: {}: task '{}' is not there as the run knew it; headers that its kernels include "
      "are not copied\n",
      reader.path(), header.task);
  return {};
}

/// Build method for the kernel outside of the run; a chip's kernels need the chip's toolchain.
Result<KernelBuild> build_of(const RunReader& reader, const Kernel& kernel) {
  KE_TRY(const auto evaluator, recorded_evaluator(reader));
  if (evaluator && evaluator->kind == "cross") return KernelBuild::none;
  return build_of_language(kernel.language);
}

std::string text_of(const Candidate& candidate, const WrittenKernel& written) {
  const std::string head =
      fmt::format("{}: {}\n", candidate.id.text(), genome_text(candidate.kernel));
  if (!written.script.empty()) {
    return head + fmt::format("{} builds {}\n", written.script, written.source);
  }
  return head + written.source +
         ": no command builds it; candidate.json beside it has its knobs and flags\n";
}

Result<int> export_kernel(const Arguments& arguments, Console& console) {
  const std::string word = arguments.text("kernel");
  if (arguments.has("candidate")) {
    return Error{Failure::usage,
                 "export: --kernel names the kernel itself, -o its folder; "
                 "--candidate belongs to --format t4"};
  }
  const std::string out = arguments.text("out");
  const std::string folder = out.empty() ? word : out;
  KE_TRY(const auto reader, open_run(arguments.positionals()[0]));
  KE_TRY(const RunHeader header, reader->header());
  KE_TRY(const CandidateView view, find_candidate(*reader, word));
  if (view.candidate->outcome == OutcomeKind::no_child) {
    return Error{Failure::usage, fmt::format("candidate {} has no kernel", word)};
  }
  KE_TRY(const KernelBuild build, build_of(*reader, view.candidate->kernel));
  KE_TRY(const auto labels, reader->task_labels());
  KE_TRY(const WrittenKernel written,
         write_kernel_folder(folder, *view.candidate, build,
                             include_dir_of(*reader, header, console), labels));
  write_either(console.out, arguments.has("json"),
               {{"candidate", view.candidate->id.text()},
                {"folder", folder},
                {"source", written.source},
                {"build", written.script.empty() ? Json(nullptr) : Json(written.script)}},
               text_of(*view.candidate, written));
  return exit_code::done;
}

Result<void> export_tables(const std::vector<std::string>& files, TableFormat format,
                           std::ostream& out) {
  if (format == TableFormat::csv) out << candidate_csv_head();
  for (const std::string& file : files) {
    KE_TRY(const auto reader, RunReader::open(file));
    KE_TRY_VOID(write_candidates(*reader, format, out));
  }
  return {};
}

/// Calls `write` with standard output, or with the file of --out.
template <typename F>
Result<int> write_out(const Arguments& arguments, Console& console, F&& write) {
  const std::string path = arguments.text("out");
  if (path.empty()) {
    KE_TRY_VOID(write(console.out));
    return exit_code::done;
  }
  std::ofstream file(path, std::ios::binary);
  if (file) KE_TRY_VOID(write(file));
  if (!file.flush()) return Error{Failure::io, path + ": cannot be written"};
  return exit_code::done;
}

Result<int> export_rows(const Arguments& arguments, Console& console, TableFormat format) {
  KE_TRY(const auto files, find_run_files(arguments.positionals()));
  return write_out(arguments, console,
                   [&](std::ostream& out) { return export_tables(files, format, out); });
}

Result<int> export_landscape(const Arguments& arguments, Console& console) {
  if (arguments.positionals().size() > 1) {
    return Error{Failure::usage, "export: a landscape is made of one run"};
  }
  KE_TRY(const auto reader, open_run(arguments.positionals()[0]));
  KE_TRY(const CandidateView view, find_candidate(*reader, arguments.text("candidate")));
  KE_TRY(const RunLandscape made, landscape_of(*reader, view));
  if (made.other_sources > 0) {
    console.err << fmt::format("left out: {} kernels of other sources than that of {}\n",
                               made.other_sources, view.candidate->id.text());
  }
  const std::string path = arguments.text("out");
  if (path.ends_with(".gz")) {
    KE_TRY_VOID(write_landscape(path, made.metadata, made.results));
    return exit_code::done;
  }
  return write_out(arguments, console, [&](std::ostream& out) {
    out << landscape_text(made.metadata, made.results);
    return Result<void>();
  });
}

Result<int> export_mlflow(const Arguments& arguments, Console& console) {
  const std::string folder = arguments.text("out");
  if (folder.empty()) return Error{Failure::usage, "export: --format mlflow needs --out FOLDER"};
  std::vector<std::string> command = {"mlflow", "--out=" + folder, "--"};
  command.insert(command.end(), arguments.positionals().begin(), arguments.positionals().end());
  return print_python_package(command, console);
}

Result<int> export_lessons(const Arguments& arguments, Console& console) {
  KE_TRY(const auto files, find_run_files(arguments.positionals()));
  std::string snapshot;
  for (const std::string& file : files) {
    KE_TRY(const auto reader, RunReader::open(file));
    KE_TRY(const auto lessons, distil(*reader));
    for (const Lesson& lesson : lessons) snapshot += lesson_line(lesson) + "\n";
  }
  if (snapshot.empty()) {
    console.err << fmt::format(
        "no lessons: no kernel of {} improved on its parent; nothing is written\n",
        files.size() == 1 ? "this run" : fmt::format("these {} runs", files.size()));
    return exit_code::negative;
  }
  console.err << fmt::format("{} lessons of {} runs; memory: {{snapshot: {}, sha256: {}}}\n",
                             std::ranges::count(snapshot, '\n'), files.size(),
                             arguments.text("out"), sha256(snapshot).hex());
  return write_out(arguments, console, [&](std::ostream& out) {
    out << snapshot;
    return Result<void>();
  });
}

Result<int> export_conversations(const Arguments& arguments, Console& console) {
  KE_TRY(const auto files, find_run_files(arguments.positionals()));
  const bool lines = arguments.has("json") || arguments.text("as") == "jsonl";
  const auto format = lines ? ConversationFormat::jsonl : ConversationFormat::markdown;
  return write_out(arguments, console, [&](std::ostream& out) -> Result<void> {
    for (const std::string& file : files) {
      KE_TRY(const std::shared_ptr<const RunReader> reader, RunReader::open(file));
      KE_TRY_VOID(write_conversations(reader, format, out));
    }
    return {};
  });
}

Result<int> run_export(const Arguments& arguments, Console& console) {
  if (arguments.has("kernel")) return export_kernel(arguments, console);
  if (arguments.text("format") == "conversations") return export_conversations(arguments, console);
  const std::string name = arguments.has("json") ? "jsonl" : arguments.text("format");
  if (name == "csv") return export_rows(arguments, console, TableFormat::csv);
  if (name == "jsonl") return export_rows(arguments, console, TableFormat::jsonl);
  if (name == "t4") return export_landscape(arguments, console);
  if (name == "lessons") return export_lessons(arguments, console);
  return export_mlflow(arguments, console);
}

}  // namespace

Verb export_() {
  return {
      .name = "export",
      .positionals = "RUN ...",
      .least = 1,
      .most = 1000,
      .summary = "write all candidates, conversations, a landscape, MLflow's files, or one kernel",
      .details =
          "csv and jsonl have one row a candidate. t4 is a landscape of the configurations of one\n"
          "source that a run evaluated (--candidate names it), which 'device: {kind: landscape,\n"
          "files: [FILE]}' reads; FILE.gz is compressed. mlflow is a folder for 'mlflow ui'.\n"
          "lessons are the improving edits, one a line, for 'memory' of later experiments.\n"
          "conversations are what language models were asked and answered, and what became of it.",
      .options =
          {{"format",
            'f',
            "FORMAT",
            "csv",
            "what to write; --json means jsonl",
            {},
            {"conversations", "csv", "jsonl", "lessons", "mlflow", "t4"}},
           {"as",
            0,
            "FORM",
            "md",
            "conversations: Markdown, or JSON lines with one line an exchange",
            {},
            {"md", "jsonl"}},
           {"out", 'o', "FILE", "",
            "where to write (mlflow, --kernel: a folder); standard output if not given, with "
            "--kernel a folder of that name"},
           {"kernel", 'k', "ID", "",
            "write one kernel, 'champion' or 12.0.0: source, build.sh, candidate.json"},
           {"candidate", 'c', "ID", "champion", "with t4: whose source"}},
      .exit_codes = {exit_code::negative},
      .example = "kernelevolve export runs/first --format csv -o candidates.csv",
      .run = &run_export};
}

}  // namespace ke::verbs
