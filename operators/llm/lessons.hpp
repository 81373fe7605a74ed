#pragma once
// Experience memory: edits that made kernels of earlier runs faster, as text for prompts.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/evaluation.hpp"
#include "core/knowledge_index.hpp"
#include "core/result.hpp"

namespace ke {

/// One improving edit of one run. Its gain was selected by the search for being large: it is not a
/// verified speedup, and a similar edit will gain less.
struct Lesson {
  std::string id;  ///< run and candidate, e.g. "llm.softmax.s1@1a2b3c4d/12.0.0"
  std::string task;
  std::string device;
  std::string language;
  std::string operator_name;
  double gain = 0;  ///< speed of the child relative to its best parent
  Interval interval;
  std::string evidence;                ///< duel | screens: how the gain was measured
  std::vector<std::string> workloads;  ///< labels, which contain the shapes
  std::vector<std::string> limiters;   ///< the parent's bottlenecks, if the judge named any
  std::string pattern;                 ///< changes of knobs and flags, and a diff of the source
};

/// Tasks of equal families may share solutions: the last part of the name up to its first digit.
/// "recsys/softmax" and "conformance/softmax1d" both have the family softmax.
std::string family_of(std::string_view task);

/// One line of a snapshot without its newline: a JSON object (format in README.md).
std::string lesson_line(const Lesson& lesson);

/// Reads all lessons of a snapshot. Errors: an unreadable file, a SHA-256 other than `sha256` (64
/// hexadecimal digits), or an invalid line, as `file:line`.
Result<std::vector<Lesson>> read_lessons(const std::string& file, const std::string& sha256);

/// A lesson in the form shown in prompts.
Passage passage_of(const Lesson& lesson);

struct LessonOptions {
  std::string sha256;  ///< SHA-256 of the snapshot
  double probability = 1;
  std::size_t lessons = 3;
  std::int64_t tokens = 900;
};

/// With `probability` per prompt, returns the passages that fit its query best [Robertson2009].
/// Draws once per prompt if the probability is above 0.
std::shared_ptr<const Lessons> make_lessons(LessonOptions options,
                                            const std::vector<Passage>& passages);

}  // namespace ke
