// The identity of a task: the content hash covers values and files, and leaves out words.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "fitness/task.hpp"
#include "tests/fitness/content/sample_tasks.hpp"

namespace ke {
namespace {

using sample::replaced;

TEST(TaskHash, covers_values_files_and_headers_but_no_description) {
  const std::string folder = sample::folder();
  const auto hash = [&](const std::string& text) {
    return read_task(sample::document(text), folder)->content_hash;
  };
  const auto write = [&](const std::string& name, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(folder + "/" + name).parent_path());
    std::ofstream(folder + "/" + name) << text;
  };
  const std::string text = sample::softmax_text();
  const Digest first = hash(text);
  EXPECT_EQ(hash(text), first);
  EXPECT_EQ(hash(replaced(text, "description: \"rows\"", "description: \"lines\"")), first);
  EXPECT_NE(hash(replaced(text, "2.0e-5", "2.1e-5")), first);
  EXPECT_NE(hash(replaced(text, "rows: 20", "rows: 21")), first);
  write("online.cpp", "// other\n");
  const Digest second = hash(text);
  EXPECT_NE(second, first);
  write("include/vector.hpp", "#pragma once\n");
  const Digest third = hash(text);
  EXPECT_NE(third, second);
  write("include/vector.hpp", "#pragma once\n\n");
  EXPECT_NE(hash(text), third);
}

// Stored runs carry the hash of their task, so a rule that a task does not use must not change it.
TEST(TaskHash, stays_that_of_stored_runs) {
  const std::string text = sample::softmax_text();
  const auto hash = [](const std::string& task) {
    return read_task(sample::document(task), sample::folder())->content_hash.short_hex();
  };
  EXPECT_EQ(hash(text), "ce8d153d8738");
  EXPECT_EQ(hash(replaced(text, "{permute: [rows, cols]}",
                          "{permute: [rows, cols], scale_together: []}")),
            hash(text));
}

TEST(TaskHash, has_the_scale_only_where_given_and_source_and_licence_never) {
  const std::string text = sample::softmax_text();
  const Digest hash = sample::task(text).content_hash;
  EXPECT_EQ(sample::task(replaced(text, "align: 64", "align: 64, scale: 1")).content_hash, hash);
  const Task scaled = sample::task(replaced(text, "align: 64", "align: 64, scale: 0.25"));
  EXPECT_NE(scaled.content_hash, hash);
  EXPECT_EQ(scaled.tensors[0].scale, 0.25);
  const Task sourced = sample::task(
      replaced(text, "name: softmax,", "name: softmax, source: \"a paper\", licence: MIT,"));
  EXPECT_EQ(sourced.content_hash, hash);
  EXPECT_EQ(sourced.source, "a paper");
  EXPECT_EQ(sourced.licence, "MIT");
}

TEST(TaskHash, has_numbers_and_avoided_lines_only_where_given) {
  const std::string text = sample::softmax_text();
  const Task plain = sample::task(text);
  EXPECT_EQ(
      sample::task(replaced(text, "align: 64", "align: 64, numbers: [], avoid: []")).content_hash,
      plain.content_hash);
  const Task with = sample::task(
      replaced(text, "align: 64", "align: 64, numbers: [0.25, -1e9], avoid: [offset]"));
  EXPECT_EQ(with.tensors[0].numbers, (std::vector<double>{0.25, -1e9}));
  EXPECT_EQ(with.tensors[0].avoid, std::vector<std::string>{"offset"});
  EXPECT_NE(with.content_hash, plain.content_hash);
  EXPECT_NE(sample::task(replaced(text, "align: 64", "align: 64, avoid: [offset]")).content_hash,
            with.content_hash);
}

}  // namespace
}  // namespace ke
