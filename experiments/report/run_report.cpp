#include "experiments/report/run_report.hpp"
namespace ke { Result<void> print_runs(const std::vector<std::string>&, bool, Console&) { return {}; } }
