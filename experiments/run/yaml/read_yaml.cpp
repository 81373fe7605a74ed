#include "experiments/run/yaml/read_yaml.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "core/node.hpp"

namespace ke {
namespace {

// Turns parser events of yaml-cpp into a Node.

/// True for `010`, `-07`, which YAML 1.1 and 1.2 read differently (octal or decimal).
bool looks_octal(const std::string& text) {
  const std::size_t start = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  return text.size() > start + 1 && text[start] == '0' &&
         text.find_first_not_of("0123456789", start) == text.npos;
}

/// Collects one document and the errors that it detects; the parser throws syntax errors.
class NodeBuilder : public YAML::EventHandler {
 public:
  explicit NodeBuilder(std::string file) : file_(std::move(file)) {}

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_anchor(mark, anchor);
    Node node;
    node.place = place(mark);
    add(std::move(node));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    fail(mark, "aliases (*) are not allowed; write the value out");
    Node node;
    node.place = place(mark);
    add(std::move(node));
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
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
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, Node::Kind::list, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, Node::Kind::map, tag, anchor);
  }
  void OnMapEnd() override { close(); }

  void fail(const YAML::Mark& mark, const std::string& what) {
    errors_.push_back(place(mark).text() + ": " + what);
  }
  const std::vector<std::string>& errors() const { return errors_; }
  Node root() && { return std::move(root_); }

 private:
  struct Open {
    Node node;
    std::string key;  ///< key of the map, waiting for its value
    Place key_place;
    bool has_key = false;
    std::map<std::string, int> lines;  ///< line of each key so far
  };
  Place place(const YAML::Mark& mark) const { return {file_, mark.line + 1, mark.column + 1}; }
  void open(const YAML::Mark& mark, Node::Kind kind, const std::string& tag,
            YAML::anchor_t anchor) {
    refuse_anchor(mark, anchor);
    if (!tag.empty() && tag != "?") fail(mark, "tags are not allowed: " + tag);
    Open frame;
    frame.node.kind = kind;
    frame.node.place = place(mark);
    stack_.push_back(std::move(frame));
  }
  void close() {
    Node node = std::move(stack_.back().node);
    stack_.pop_back();
    add(std::move(node));
  }
  void add(Node node) {
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
  void take_key(Open& frame, Node key) {
    if (key.kind != Node::Kind::scalar) {
      errors_.push_back(key.place.text() + ": a key must be a single value");
    } else if (!key.quoted && key.scalar == "<<") {
      errors_.push_back(key.place.text() + ": merge keys (<<) are not allowed; write the keys out");
    } else if (const auto [first, fresh] = frame.lines.emplace(key.scalar, key.place.line);
               !fresh) {
      errors_.push_back(fmt::format("{}: duplicate key '{}'; first at line {}", key.place.text(),
                                    key.scalar, first->second));
    }
    frame.key = std::move(key.scalar);
    frame.key_place = std::move(key.place);
    frame.has_key = true;
  }
  void refuse_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (anchor != 0) fail(mark, "anchors (&) are not allowed; write the value out");
  }

  std::string file_;
  Node root_;
  std::vector<Open> stack_;
  std::vector<std::string> errors_;
};

/// Checks the raw bytes. "" = no error.
std::string check_bytes(std::string_view file, std::string_view text) {
  if (text.size() > yaml_limit_bytes) {
    return fmt::format("{}: is longer than {} bytes", file, yaml_limit_bytes);
  }
  Place place{std::string(file), 1, 1};
  bool indent = true;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\t' && indent) return place.text() + ": a tab in the indentation; use spaces";
    if ((byte < 0x20 && c != '\t' && c != '\n' && c != '\r') || byte == 0x7f) {
      return fmt::format("{}: control character 0x{:02x}", place.text(), byte);
    }
    indent = c == '\n' || (indent && c == ' ');
    place.column = c == '\n' ? 1 : place.column + 1;
    if (c == '\n') ++place.line;
  }
  return {};
}

/// Detects the start of a second document.
struct StartOfDocument final : NodeBuilder {
  using NodeBuilder::NodeBuilder;
  void OnDocumentStart(const YAML::Mark& mark) override { start = mark; }
  YAML::Mark start;
};

Result<Node> parse(std::string_view file, std::string_view text) {
  std::istringstream stream{std::string(text)};
  YAML::Parser parser(stream);
  NodeBuilder builder{std::string(file)};
  if (!parser.HandleNextDocument(builder)) {
    Node empty;
    empty.place = {std::string(file), 1, 1};
    return empty;
  }
  if (StartOfDocument second{std::string(file)}; parser.HandleNextDocument(second)) {
    builder.fail(second.start, "a second document; a file holds one");
  }
  if (!builder.errors().empty()) {
    return Error{Failure::config, fmt::format("{}", fmt::join(builder.errors(), "\n"))};
  }
  return std::move(builder).root();
}

void replace_places(Node& node, const Place& place) {
  node.place = place;
  for (Node& item : node.items) replace_places(item, place);
  for (Node::Entry& entry : node.entries) {
    entry.place = place;
    replace_places(entry.value, place);
  }
}

}  // namespace

Result<Node> read_yaml_text(std::string_view file, std::string_view text) {
  if (std::string wrong = check_bytes(file, text); !wrong.empty()) {
    return Error{Failure::config, std::move(wrong)};
  }
  try {
    return parse(file, text);
  } catch (const YAML::Exception& error) {
    const Place place{std::string(file), error.mark.line + 1, error.mark.column + 1};
    return Error{Failure::config, fmt::format("{}: {}", place.text(), error.msg)};
  }
}

Result<Node> read_yaml_file(const std::string& path) {
  std::error_code code;
  const auto status = std::filesystem::status(path, code);
  if (!std::filesystem::exists(status)) return Error{Failure::config, path + ": no such file"};
  if (!std::filesystem::is_regular_file(status)) {
    return Error{Failure::config, path + ": is not a regular file"};
  }
  std::ifstream stream(path, std::ios::binary);
  std::string text(yaml_limit_bytes + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (stream.bad() || !stream.eof()) {
    if (stream.gcount() == 0) return Error{Failure::config, path + ": cannot be read"};
  }
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return read_yaml_text(path, text);
}

Result<Node> read_yaml_value(std::string_view what, std::string_view value) {
  auto node = read_yaml_text(what, value);
  if (node) replace_places(*node, {"command line", 0, 0});
  return node;
}

}  // namespace ke
