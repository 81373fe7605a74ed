// Fuzzes messages of an evaluator's process: one that decodes encodes to the same bytes.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "fitness/process/message.hpp"

namespace ke {
namespace {

template <class Message>
void look_at(std::string_view bytes) {
  const auto message = decode<Message>(bytes);
  if (message && encode(*message) != bytes) std::abort();
}

}  // namespace
}  // namespace ke

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  ke::look_at<ke::FromWorker>(bytes);
  ke::look_at<ke::ToWorker>(bytes);
  return 0;
}
