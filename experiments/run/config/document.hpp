#pragma once
// The configuration document of a run: a file with short forms expanded and overrides applied.

#include <string>
#include <vector>

#include "core/node.hpp"
#include "core/result.hpp"

namespace ke {

/// Reads an experiment file and applies `a.b=1` overrides in order. Reports the errors of all of
/// them at once.
Result<Node> load_document(const std::string& path, const std::vector<std::string>& overrides);

/// Expands short forms: `strategy: random` becomes `strategy: {kind: random}`, `knob_step: 4` among
/// the operators becomes `knob_step: {weight: 4}`, `device: cpu` becomes the content of
/// backends/cpu.yaml if that file exists. `beside` is the folder of the document.
Result<void> write_out_short_forms(Node& document, const std::string& beside);

/// Applies one `a.b=value` to a document with expanded short forms. A new `kind` resets its
/// section, because the new kind does not know the old options, except archive.axes.
Result<void> apply_override(Node& document, const std::string& text, const std::string& beside);

/// Lays `value` over the key at `path` as apply_override does: maps merge key by key, other values
/// replace. A key that ends in '!' replaces its whole map. A null restores the default.
Result<void> lay_over(Node& document, const std::string& path, const Node& value,
                      const std::string& beside);

/// A scalar with this text.
Node scalar_node(std::string_view text, const Place& place = {});

/// Rebuilds the document from its `path = value` lines (ParamLog::canonical_text).
Node document_of_canonical(const std::string& canonical, const std::string& place);

}  // namespace ke
