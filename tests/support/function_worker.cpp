// A worker process for tests: serves the function evaluator on standard input and output.

#include <unistd.h>

#include <cstdlib>

#include "fitness/function/function_evaluator.hpp"
#include "fitness/process/process_evaluator.hpp"

int main(int argc, char** argv) {
  ke::FunctionOptions options;
  options.lanes = argc > 1 ? std::atoi(argv[1]) : 1;
  options.delay_us = argc > 2 ? std::atoi(argv[2]) : 0;
  const auto evaluator = ke::make_function_evaluator(options);
  ke::serve_evaluator(*evaluator, STDIN_FILENO, STDOUT_FILENO);
}
