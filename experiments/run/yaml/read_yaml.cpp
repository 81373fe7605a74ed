#include "experiments/run/yaml/read_yaml.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "experiments/run/yaml/node_builder.hpp"

namespace ke {
namespace {

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
