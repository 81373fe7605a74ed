#include "experiments/run/console.hpp"

namespace ke {

int exit_code_of(Failure failure) {
  switch (failure) {
    case Failure::usage:
    case Failure::config:
    case Failure::reference: return exit_code::usage;
    case Failure::device: return exit_code::device;
    case Failure::provider: return exit_code::provider;
    case Failure::replay_miss: return exit_code::replay_miss;
    case Failure::store:
    case Failure::io: break;
  }
  return exit_code::store;
}

}  // namespace ke
