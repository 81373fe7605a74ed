#pragma once
// The configuration document of a run: a file, its short forms written out, overrides laid over it.

#include <string>
#include <vector>

#include "core/node.hpp"
#include "core/result.hpp"

namespace ke {

/// Reads an experiment file and applies `a.b=1` overrides in order. Errors of all of them at once.
Result<Node> load_document(const std::string& path, const std::vector<std::string>& overrides);

/// Writes short forms out: `strategy: random` is `strategy: {kind: random}`, `knob_step: 4` among
/// the operators is `knob_step: {weight: 4}`, `device: cpu` is the content of backends/cpu.yaml,
/// where there is such a file. `beside` is the folder of the document.
Result<void> write_out_short_forms(Node& document, const std::string& beside);

/// Lays one `a.b=value` over a document whose short forms are written out. A new `kind` starts its
/// section afresh (options of the old kind would be unknown to the new one) but for archive.axes.
Result<void> apply_override(Node& document, const std::string& text, const std::string& beside);

/// Lays `value` over the key at `path` as apply_override does: maps merge key by key, all else
/// replaces. A key that ends in '!' replaces its map whole. A null puts a key back to its default.
Result<void> lay_over(Node& document, const std::string& path, const Node& value,
                      const std::string& beside);

/// The document that gave these `path = value` lines (ParamLog::canonical_text).
Node document_of_canonical(const std::string& canonical, const std::string& place);

}  // namespace ke
