#pragma once
// The address of the database that coordinator and workers share.

#include <string>

#include "experiments/run/console.hpp"

namespace ke {

/// The address: `given`, or the value of KERNELEVOLVE_QUEUE_URL if it is `env`. Error if that is
/// not set.
Result<std::string> queue_url(const std::string& given, const Console& console);

}  // namespace ke
