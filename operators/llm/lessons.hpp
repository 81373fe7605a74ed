#pragma once
// Experience memory: edits that made kernels of earlier runs faster, as text for prompts.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/evaluation.hpp"
#include "core/knowledge_index.hpp"
#include "core/lessons.hpp"
#include "core/result.hpp"

namespace ke {

/// One improving edit of one run. The gain is that of the search, which looked for large ones: it
/// is no verified speedup, and the next one of its kind will gain less.
struct Lesson {
  std::string id;  ///< run and candidate, e.g. "llm.softmax.s1@1a2b3c4d/12.0.0"
  std::string task;
  std::string device;
  std::string language;
  std::string operator_name;
  double gain = 0;  ///< speed of the child over that of its best parent
  Interval interval;
  std::string evidence;                ///< duel | screens: how the gain was seen
  std::vector<std::string> workloads;  ///< labels, which hold the shapes
  std::vector<std::string> limiters;   ///< what limited the parent, where the judge said so
  std::string pattern;                 ///< changes of knobs and flags, and a diff of the source
};

/// Tasks with equal families may share solutions: the last part of the name up to its first digit.
/// "recsys/softmax" and "conformance/softmax1d" are of the family softmax.
std::string family_of(std::string_view task);

/// One line of a snapshot, without its end: a JSON object (README.md has the format).
std::string lesson_line(const Lesson& lesson);

/// All lessons of a snapshot. Errors: a file that cannot be read, or whose SHA-256 is not `sha256`
/// (64 hexadecimal digits), or a broken line, as `file:line`.
Result<std::vector<Lesson>> read_lessons(const std::string& file, const std::string& sha256);

/// A lesson as a prompt shows it.
Passage passage_of(const Lesson& lesson);

struct LessonOptions {
  std::string sha256;  ///< of the snapshot
  double probability = 1;
  std::size_t lessons = 3;
  std::int64_t tokens = 900;
};

/// With chance `probability` for each prompt, the passages that fit its query best
/// [Robertson2009]. Draws once a prompt if the probability is above 0.
std::shared_ptr<const Lessons> make_lessons(LessonOptions options,
                                            const std::vector<Passage>& passages);

}  // namespace ke
