// Fuzzes replies. Checks that nothing crashes, that an applied edit changes the source, and that
// the text outside the EVOLVE-BLOCKs is kept.
#include <array>
#include <cstdint>
#include <cstdlib>

#include "operators/llm/patch.hpp"
#include "operators/llm/regions.hpp"
#include "operators/llm/similarity.hpp"

namespace ke {
namespace {

constexpr std::array<std::string_view, 4> parents = {
    "void kernel(float* x) {\n  x[0] = 1;\n  x[1] = 1;\n}\n",
    "a\n// EVOLVE-BLOCK-START\nvoid kernel() {\n  b;\n}\n// EVOLVE-BLOCK-END\nb\n"
    "// EVOLVE-BLOCK-START\n// EVOLVE-BLOCK-END\nc",
    "a\r\n# EVOLVE-BLOCK-START\r\ndef kernel():\r\n\tb\r\n# EVOLVE-BLOCK-END\r\n\r\n", ""};

void require(bool condition) {
  if (!condition) std::abort();
}

/// Lines outside the regions, without trailing blanks.
std::string outside(std::string_view text) {
  const auto source = editable_source("fuzz", text);
  require(static_cast<bool>(source));
  std::string lines;
  std::size_t at = 0;
  for (const EditRegion& region : source->regions) {
    for (; at < region.first; ++at) lines.append(trim_right(source->lines[at].text)) += '\n';
    at = region.end;
  }
  for (; at < source->lines.size(); ++at) {
    lines.append(trim_right(source->lines[at].text)) += '\n';
  }
  return lines;
}

void check(const EditableSource& parent, const Edit<std::string>& edit) {
  if (const auto* failed = std::get_if<EditFailure>(&edit)) {
    require(!failed->reason.empty() && !failed->message.empty());
    require(failed->message.size() <= longest_message);
    return;
  }
  const std::string& child = std::get<0>(edit);
  require(child != parent.text);
  require(is_text(child) && child.size() <= longest_source);
  if (parent.marked) require(outside(child) == outside(parent.text));
  const double alike = similarity(shingles(parent.text), shingles(child));
  require(alike >= 0 && alike <= 1);
}

void look_at(std::string_view data) {
  if (data.empty()) return;
  const std::string_view text = parents[static_cast<unsigned char>(data[0]) % parents.size()];
  const auto parent = editable_source("fuzz", text);
  require(static_cast<bool>(parent));
  const std::string_view reply = data.substr(1);
  check(*parent, patch_by_reply(*parent, reply));
  for (const Language& language : languages()) {
    check(*parent, rewrite_by_reply(*parent, whole_kernel(language, parent->text), reply));
  }
  (void)editable_source("fuzz", reply);
}

}  // namespace
}  // namespace ke

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ke::look_at({reinterpret_cast<const char*>(data), size});
  return 0;
}
