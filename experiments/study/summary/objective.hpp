#pragma once
// The meaning of a run's objective.

#include <string>

#include "archive/run_reader.hpp"

namespace ke {

/// The opponent of objectives of a kind of evaluator: the anchor, which they are speedups over;
/// of a landscape its optimum or median, whose time they divide by the candidate's; "" = nothing: a
/// function's value.
std::string objective_base(std::string_view evaluator_kind, const RunHeader& header);

/// The same by the evaluator that measured the run; "" for a numeric search.
Result<std::string> objective_base(const RunReader& reader);

/// "1.312x anchor", "0.913 of the optimum", or a plain number.
std::string objective_text(double objective, std::string_view base);

/// The objective as the label of an axis: "speedup over the anchor", "time of the optimum / time".
std::string objective_label(std::string_view base);

}  // namespace ke
