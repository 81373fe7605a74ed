#include "experiments/cli/verb.hpp"
#include "experiments/run/queue/shared_search.hpp"
#include "experiments/run/queue/work_loop.hpp"
#include "experiments/text/json.hpp"

namespace ke::verbs {
namespace {

Result<int> run_worker(const Arguments& arguments, Console& console) {
  WorkOptions options;
  KE_TRY(options.url, queue_url(arguments.text("url"), console));
  options.kind = arguments.text("device");
  options.overrides = arguments.positionals();
  KE_TRY(options.idle_s, arguments.integer("idle"));
  const StopSignals signals;
  KE_TRY(const WorkEnd end, serve_runs(options, signals, console));
  if (arguments.has("json")) write_json(console.out, {{"jobs_answered", end.answered}});
  return end.code;
}

}  // namespace

Verb worker() {
  return {
      .name = "worker",
      .positionals = "[device.lanes=2 ...]",
      .least = 0,
      .most = 100,
      .summary = "measure on this host for searches that run elsewhere",
      .details =
          "Takes jobs of runs with 'queue.url' out of their PostgreSQL database and hands facts "
          "in.\n"
          "Any number of workers on any hosts may join and leave at any time; a job whose worker\n"
          "died is done again by another. a.b=1 sets what belongs to this machine.\n"
          "SIGTERM gives open jobs back and ends.",
      .options = {{"url", 0, "URL", "env",
                   "the database, postgresql://USER@HOST/DATABASE; env = the value of "
                   "KERNELEVOLVE_QUEUE_URL, which no list of processes shows"},
                  {"device", 0, "KIND", "", "serve only devices of this kind: cpu, cuda, ..."},
                  {"idle", 0, "SECONDS", "0", "end after this time without work; 0 = never",
                   Bounds{0, 1'000'000}}},
      .exit_codes = {exit_code::device, exit_code::interrupted, exit_code::terminated},
      .example = "kernelevolve worker --help",
      .run = &run_worker};
}

}  // namespace ke::verbs
