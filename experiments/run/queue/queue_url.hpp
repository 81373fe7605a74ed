#pragma once
// The address of the database that coordinator and workers share.

#include <string>

#include "experiments/run/console.hpp"

namespace ke {

/// `given`, or the value of KERNELEVOLVE_QUEUE_URL where it is `env`. Error when there is none.
Result<std::string> queue_url(const std::string& given, const Console& console);

}  // namespace ke
