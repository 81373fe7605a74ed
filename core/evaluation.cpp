#include "core/evaluation.hpp"

namespace ke {

std::string_view to_string(Decision decision) {
  switch (decision) {
    case Decision::better: return "better";
    case Decision::worse: return "worse";
    case Decision::undecided: return "undecided";
    case Decision::none: break;
  }
  return "none";
}

}  // namespace ke
