#pragma once
// Turns parser events of yaml-cpp into a Node. Private to experiments/run/yaml.

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/mark.h>

#include <map>
#include <string>
#include <vector>

#include "core/node.hpp"

namespace ke {

/// Collects one document and the errors that it detects; the parser throws syntax errors.
class NodeBuilder : public YAML::EventHandler {
 public:
  explicit NodeBuilder(std::string file) : file_(std::move(file)) {}

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override;
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override;
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override;
  void OnMapEnd() override { close(); }

  void fail(const YAML::Mark& mark, const std::string& what);
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
  void open(const YAML::Mark& mark, Node::Kind kind, const std::string& tag, YAML::anchor_t anchor);
  void close();
  void add(Node node);
  void take_key(Open& frame, Node key);
  void refuse_anchor(const YAML::Mark& mark, YAML::anchor_t anchor);

  std::string file_;
  Node root_;
  std::vector<Open> stack_;
  std::vector<std::string> errors_;
};

}  // namespace ke
