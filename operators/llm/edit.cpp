#include "operators/llm/edit.hpp"

#include <utility>

namespace ke {

std::string cut(std::string text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  std::size_t end = bytes - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  text.resize(end);
  return text + "...";
}

EditFailure failure(std::string reason, std::string message) {
  return {std::move(reason), cut(std::move(message), longest_message)};
}

}  // namespace ke
