#pragma once
// An evaluator in another process, on this host or reached through any program that connects
// standard input and output to it.

#include <memory>
#include <string>
#include <vector>

#include "core/evaluator.hpp"

namespace ke {

/// Starts `argv` with a socket as its standard input and output, and exchanges frames with it. When
/// the process dies, jobs in flight answer `lost` with reason worker_died; the next job restarts
/// it. Errors: the program does not start, or does not introduce itself within `patience`.
Result<std::unique_ptr<Evaluator>> start_process_evaluator(
    std::vector<std::string> argv, std::chrono::milliseconds patience = std::chrono::seconds(10));

/// The other end: serves `evaluator` on the two descriptors until the stream ends.
void serve_evaluator(Evaluator& evaluator, int in_fd, int out_fd);

}  // namespace ke
