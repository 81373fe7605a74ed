#pragma once
// Kernels and candidates as JSON, for external programs.

#include <nlohmann/json.hpp>
#include <string>

#include "core/json.hpp"
#include "core/operator.hpp"

namespace ke {

/// {language, name, source, knobs: {NAME: value}, flags: [..], launch_plan}
Json json_of(const Kernel& kernel);
/// {knobs: [{name, kind, values}], flags: [[alternative, ..]], constraints: [text]}
Json json_of(const KernelSpace& space);
/// {id, role, operator, kernel, space, verdict, reason, message, objective, measures, feedback}
Json json_of(const Parent& parent);

/// The kernel of an answer; takes missing fields from `base`. Nothing when the JSON is malformed or
/// a value has the wrong type; `why` is then a reason code.
std::optional<Kernel> kernel_of(const Json& json, const Kernel& base, std::string& why);

}  // namespace ke
