#include "experiments/run/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "operators/llm/lessons.hpp"

namespace ke {
namespace {

bool may_be_told(const Lesson& lesson, const MemoryPlan& memory, const Subject& subject) {
  const std::string family = family_of(lesson.task);
  if (!memory.same_family && family == family_of(subject.name)) return false;
  if (!subject.seeds.empty() && lesson.language != subject.seeds.front().kernel.language) {
    return false;
  }
  return std::ranges::none_of(memory.exclude, [&](const std::string& name) {
    return name == lesson.task || name == family;
  });
}

}  // namespace

Result<std::vector<Passage>> remembered(const MemoryPlan& memory, const Subject& subject,
                                        const std::string& beside) {
  if (memory.snapshot.empty()) {
    return Error{Failure::config, "'memory.snapshot' is missing; name a file of lessons"};
  }
  std::error_code code;
  const auto there = std::filesystem::path(beside) / memory.snapshot;
  const bool found = std::filesystem::exists(there, code);
  const auto lessons = read_lessons(found ? there.string() : memory.snapshot, memory.sha256);
  if (!lessons) {
    return Error{Failure::config,
                 fmt::format("{}: 'memory.snapshot': {}", memory.place, lessons.error().message)};
  }
  std::vector<Passage> passages;
  for (const Lesson& lesson : *lessons) {
    if (may_be_told(lesson, memory, subject)) passages.push_back(passage_of(lesson));
  }
  return passages;
}

}  // namespace ke
