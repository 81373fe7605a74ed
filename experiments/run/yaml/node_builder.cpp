#include "experiments/run/yaml/node_builder.hpp"

#include <fmt/format.h>

namespace ke {
namespace {

/// True for `010`, `-07`, which YAML 1.1 and 1.2 read differently (octal or decimal).
bool looks_octal(const std::string& text) {
  const std::size_t start = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  return text.size() > start + 1 && text[start] == '0' &&
         text.find_first_not_of("0123456789", start) == text.npos;
}

}  // namespace

void NodeBuilder::fail(const YAML::Mark& mark, const std::string& what) {
  errors_.push_back(place(mark).text() + ": " + what);
}

void NodeBuilder::refuse_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) {
  if (anchor != 0) fail(mark, "anchors (&) are not allowed; write the value out");
}

void NodeBuilder::OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) {
  refuse_anchor(mark, anchor);
  Node node;
  node.place = place(mark);
  add(std::move(node));
}

void NodeBuilder::OnAlias(const YAML::Mark& mark, YAML::anchor_t) {
  fail(mark, "aliases (*) are not allowed; write the value out");
  Node node;
  node.place = place(mark);
  add(std::move(node));
}

void NodeBuilder::OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                           const std::string& value) {
  refuse_anchor(mark, anchor);
  Node node;
  node.kind = Node::Kind::scalar;
  node.place = place(mark);
  node.scalar = value;
  node.quoted = tag == "!";  // "?" marks a plain scalar
  if (!node.quoted && tag != "?" && !tag.empty()) fail(mark, "tags are not allowed: " + tag);
  if (!node.quoted && looks_octal(value)) {
    fail(mark, fmt::format("{} is octal to some readers and decimal to others; drop the leading "
                           "zero, or quote a text",
                           value));
  }
  add(std::move(node));
}

void NodeBuilder::OnSequenceStart(const YAML::Mark& mark, const std::string& tag,
                                  YAML::anchor_t anchor, YAML::EmitterStyle::value) {
  open(mark, Node::Kind::list, tag, anchor);
}

void NodeBuilder::OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                             YAML::EmitterStyle::value) {
  open(mark, Node::Kind::map, tag, anchor);
}

void NodeBuilder::open(const YAML::Mark& mark, Node::Kind kind, const std::string& tag,
                       YAML::anchor_t anchor) {
  refuse_anchor(mark, anchor);
  if (!tag.empty() && tag != "?") fail(mark, "tags are not allowed: " + tag);
  Open frame;
  frame.node.kind = kind;
  frame.node.place = place(mark);
  stack_.push_back(std::move(frame));
}

void NodeBuilder::close() {
  Node node = std::move(stack_.back().node);
  stack_.pop_back();
  add(std::move(node));
}

void NodeBuilder::add(Node node) {
  if (stack_.empty()) {
    root_ = std::move(node);
    return;
  }
  Open& frame = stack_.back();
  if (frame.node.kind == Node::Kind::list) {
    frame.node.items.push_back(std::move(node));
  } else if (!frame.has_key) {
    take_key(frame, std::move(node));
  } else {
    frame.has_key = false;
    frame.node.entries.push_back({std::move(frame.key), frame.key_place, std::move(node)});
  }
}

void NodeBuilder::take_key(Open& frame, Node key) {
  if (key.kind != Node::Kind::scalar) {
    errors_.push_back(key.place.text() + ": a key must be a single value");
  } else if (!key.quoted && key.scalar == "<<") {
    errors_.push_back(key.place.text() + ": merge keys (<<) are not allowed; write the keys out");
  } else if (const auto [first, fresh] = frame.lines.emplace(key.scalar, key.place.line); !fresh) {
    errors_.push_back(fmt::format("{}: duplicate key '{}'; first at line {}", key.place.text(),
                                  key.scalar, first->second));
  }
  frame.key = std::move(key.scalar);
  frame.key_place = std::move(key.place);
  frame.has_key = true;
}

}  // namespace ke
