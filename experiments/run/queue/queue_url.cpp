#include "experiments/run/queue/queue_url.hpp"

namespace ke {

Result<std::string> queue_url(const std::string& given, const Console& console) {
  if (given != "env") return given;
  const auto value = console.variable ? console.variable("KERNELEVOLVE_QUEUE_URL") : std::nullopt;
  if (value && !value->empty()) return *value;
  return Error{
      Failure::usage,
      "the environment variable KERNELEVOLVE_QUEUE_URL is not set; it holds the address of "
      "the database, such as postgresql://user@host/kernelevolve"};
}

}  // namespace ke
