// Fuzzes bytes from a model's server. Checks that events do not depend on how a stream is cut, and
// that no dialect crashes on a reply or remembers more than its limit.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "operators/llm/client/dialect.hpp"
#include "operators/llm/client/reply_reader.hpp"

namespace ke {
namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

std::vector<SseEvent> events_of(std::string_view bytes, std::size_t piece) {
  SseParser parser;
  std::vector<SseEvent> events;
  while (!bytes.empty()) {
    const std::size_t count = std::min(piece, bytes.size());
    for (SseEvent& event : parser.feed(bytes.substr(0, count))) events.push_back(std::move(event));
    bytes.remove_prefix(count);
  }
  return events;
}

bool alike(const SseEvent& a, const SseEvent& b) { return a.name == b.name && a.data == b.data; }

void read_as(const Dialect& dialect, int status, std::string_view type, std::string_view bytes,
             std::size_t piece) {
  ReplyReader reader(dialect);
  while (!bytes.empty()) {
    const std::size_t count = std::min(piece, bytes.size());
    if (reader.take(status, type, bytes.substr(0, count)).count() == 0) break;
    bytes.remove_prefix(count);
  }
  (void)reader.finish(status, bytes.empty());
}

void look_at(std::string_view data) {
  if (data.size() < 2) return;
  const std::size_t piece = 1 + static_cast<unsigned char>(data[0]) % 16;
  const bool failed = data[1] % 4 == 0;
  const std::string_view bytes = data.substr(2);
  const auto whole = events_of(bytes, bytes.size());
  const auto pieces = events_of(bytes, piece);
  require(std::equal(whole.begin(), whole.end(), pieces.begin(), pieces.end(), alike));
  for (const auto& entry : dialects()) {
    const auto dialect = entry.make();
    for (const char* type : {"text/event-stream", "application/json"}) {
      read_as(*dialect, failed ? 429 : 200, type, bytes, piece);
    }
  }
}

}  // namespace
}  // namespace ke

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ke::look_at({reinterpret_cast<const char*>(data), size});
  return 0;
}
