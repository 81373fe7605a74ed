#pragma once
// Prompt templates: the files of the folder prompts, embedded in the binary.
//
// `--- system` and `--- user` start a message. A line `{{name}}` is replaced by the section of that
// name, or omitted when the section is empty; `{{name}}` inside a line is replaced in place.

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/llm_client.hpp"

namespace ke {

struct PromptTemplate {
  std::string_view name;  ///< file name without .md
  std::string_view text;
};

/// All templates, sorted by name.
std::span<const PromptTemplate> prompt_templates();

/// Text of a template that must exist.
std::string_view prompt_text(std::string_view name);

/// "name@1a2b3c4d": the template's name and the start of the SHA-256 of its text.
std::string prompt_version(std::string_view name);

/// Sections by name. Values are inserted verbatim: placeholders in them are not replaced.
using Sections = std::map<std::string, std::string, std::less<>>;

/// Replaces each `{{name}}` in the text by the section of that name, "" when there is none.
std::string fill(std::string_view text, const Sections& sections);

/// The messages of a template. A placeholder without a section counts as empty.
std::vector<Message> render_prompt(std::string_view name, const Sections& sections);

}  // namespace ke
