#pragma once
// Declared options: the constructor that reads an option holds its name, range, default and doc.
// The parser, `list` and the docs get them from there.

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/node.hpp"

namespace ke {

template <typename T>
struct Range {
  T low;
  T high;
};

/// One declared option, as `list` prints it.
struct Option {
  std::string path;      ///< e.g. islands.migration.every
  std::string type;      ///< integer | real | bool | text | choice | duration | list
  std::string fallback;  ///< default as text; "" = required or empty
  std::string range;     ///< "[1, 8]", "a | b | c" or ""
  std::string doc;
};

/// Results of reading a document: declarations, resolved values and all errors.
class ParamLog {
 public:
  std::vector<Option> options;
  std::map<std::string, std::string> values;  ///< path -> resolved value, defaults included
  std::vector<std::string> errors;

  /// Adds an error, with a suggestion, for each key that was never read. Call once, at the end.
  void report_unknown();
  /// Sorted `path = value` lines: the canonical form of the configuration.
  std::string canonical_text() const;

 private:
  friend class Params;
  bool stored_ = false;      ///< the document is a stored run's configuration
  std::deque<Node> absent_;  ///< values of options that the stored run's version did not have
  struct Visit {
    const Node* node;
    std::string path;
    std::set<std::string> asked;  ///< keys read by any reader of this node
  };
  /// The index of a node's visit; creates one on the first read.
  std::size_t visit_of(const Node* node, const std::string& path);
  std::vector<Visit> visits_;
};

/// Reads one map of a document. Wrong values are logged and replaced by the default, so that one
/// pass finds all errors. Copies share the log.
class Params {
 public:
  /// `node` may be null (all options at their defaults). `path` is "" for the top level.
  Params(const Node* node, std::string path, ParamLog& log);

  /// Marks the next scalar option as added after runs had been stored. A stored run without it gets
  /// the value `absent`, which keeps the old behaviour, and keeps its identity.
  ///     params.added("false").flag("contract", true, "...")
  Params& added(std::string_view absent);

  std::int64_t integer(std::string_view name, std::int64_t fallback, Range<std::int64_t> range,
                       std::string_view doc);
  double real(std::string_view name, double fallback, Range<double> range, std::string_view doc);
  bool flag(std::string_view name, bool fallback, std::string_view doc);
  std::string text(std::string_view name, std::string_view fallback, std::string_view doc);
  /// A text option without a default.
  std::string required_text(std::string_view name, std::string_view doc);
  std::string choice(std::string_view name, std::string_view fallback,
                     const std::vector<std::string>& allowed, std::string_view doc);
  /// The same for an enum whose values are those of `allowed`, in their order.
  template <typename Enum>
  Enum choice_of(std::string_view name, std::string_view fallback,
                 const std::vector<std::string>& allowed, std::string_view doc) {
    const std::string value = choice(name, fallback, allowed, doc);
    return static_cast<Enum>(std::ranges::find(allowed, value) - allowed.begin());
  }
  /// Reads a duration such as "500ms", "90s", "15min" or "2h", in milliseconds.
  std::int64_t duration_ms(std::string_view name, std::string_view fallback,
                           Range<std::int64_t> range_ms, std::string_view doc);
  /// A list of scalars; a single scalar counts as a list of one.
  std::vector<std::string> texts(std::string_view name, const std::vector<std::string>& fallback,
                                 std::string_view doc);

  /// Whether the document has the key.
  bool has(std::string_view name) const;
  /// Keys of this map in document order.
  std::vector<std::string> keys() const;
  /// A nested map; empty when absent.
  Params section(std::string_view name);
  /// A list of maps; empty when the key is absent. Declared as an option when it has a doc.
  std::vector<Params> sections(std::string_view name, std::string_view doc = "");
  /// Value of an undeclared key (a child of a free-form map); marks it as known.
  const Node* raw(std::string_view name);

  /// Marks all keys of this map as known without reading them.
  void skip();

  /// Logs an error at the place of `name`, or of this map when `name` is absent.
  void fail(std::string_view name, std::string_view what);
  /// Full path of a key of this map, "islands.count" for `count` in `islands`; "" gives the map's
  /// own path.
  std::string path(std::string_view name) const;
  const Node* node() const { return node_; }

 private:
  template <typename T>
  T number(std::string_view name, T fallback, Range<T> range, std::string_view doc);
  const Node* scalar(std::string_view name);
  const Node* stand_in(std::string_view name);
  void declare(std::string_view name, std::string_view type, std::string fallback,
               std::string range, std::string_view doc);
  void resolve(std::string_view name, std::string value);
  const Node* ask(std::string_view name);

  const Node* node_;
  std::string path_;
  ParamLog* log_;
  std::size_t visit_ = 0;
  std::optional<std::string> absent_;  ///< for the next option, see added()
  bool outside_identity_ = false;      ///< the option being read is unknown to the stored run
};

}  // namespace ke
