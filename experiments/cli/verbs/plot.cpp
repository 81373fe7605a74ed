#include "experiments/cli/python_verbs.hpp"

namespace ke::verbs {
namespace {

Result<int> run_plot(const Arguments& arguments, Console& console) {
  return run_in_python("plot", arguments, console);
}

}  // namespace

Verb plot() {
  return {
      .name = "plot",
      .positionals = "RUN ... [key=value ...]",
      .least = 1,
      .most = 100000,
      .summary = "draw the figures of a paper from runs, each with its table as CSV",
      .details =
          "RUN is a run file or a folder with run files; arms and analysis are those of\n"
          "'compare', and key=value changes the analysis as there. Needs the package\n"
          "python3-matplotlib; without it the tables are written all the same.\n"
          "  archive   elites by cell of the archive that the search used, empty cells shown; of "
          "each\n"
          "            arm on each task, its median run\n"
          "  diversity coverage, QD score, entropy of visits and distance of sources over "
          "evaluations:\n"
          "            medians, of up to 6 arms with quartiles\n"
          "  curves    mean of the best so far over what was spent, of up to 6 arms with its\n"
          "            confidence interval\n"
          "  profiles  share of tasks within a factor of the best arm [Dolan2002]\n"
          "  cd        average ranks over tasks with the critical difference [Demsar2006]\n"
          "  ccdf      share of runs beyond each value of the endpoint\n"
          "  fast_p    share of runs with a verified speedup above p [Ouyang2025]\n"
          "  ablation  effect of each arm against the reference, with its interval; filled dots "
          "are\n"
          "            conclusions\n"
          "  effects   main effects of a factorial sweep, each averaged over the other factors\n"
          "            [Montgomery2012]\n"
          "  cost      endpoint over dollars, tokens and hours of the device; the line joins arms "
          "that\n"
          "            none beats in both\n"
          "  lineage   the champion and its ancestors; of each task, its best run\n"
          "  roofline  kernels of a task under the measured ceilings of their device; of each "
          "task,\n"
          "            its best run\n"
          "  failures  where proposals are lost, by arm",
      .options = {{"out", 'o', "FOLDER", "figures", "where to write"},
                  {"figure", 'f', "NAMES", "", "figures, separated by commas; all if not given"},
                  {"format", 0, "FORMATS", "svg,pdf,png",
                   "of the drawings, separated by commas; '' writes the tables alone"},
                  {"against",
                   0,
                   "CURRENCY",
                   "evaluations",
                   "of curves: what the runs spent",
                   {},
                   curve_currencies()}},
      .exit_codes = {exit_code::negative},
      .example = "kernelevolve plot runs/crossover -o figures --figure curves",
      .run = &run_plot};
}

}  // namespace ke::verbs
