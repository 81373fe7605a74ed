// Structure of processor kernels against labels that a reader gave their sources.

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "core/knob_space.hpp"
#include "fitness/descriptors/descriptors.hpp"
#include "tests/fitness/descriptors/structure_pairs.hpp"
#include "tests/support/compiler_test.hpp"

namespace ke {
namespace {

using namespace structure_pairs;

const std::string tasks = std::string(KE_SOURCE_DIR) + "/configs/tasks";

std::string source_of(const Version& version) {
  const auto own = own_kernels().find(version.name);
  if (own != own_kernels().end()) return std::string(own->second);
  std::ifstream file(tasks + "/" + version.name + ".cpp");
  EXPECT_TRUE(file) << version.name;
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string shown(const Version& version) {
  std::string text = version.name;
  for (const auto& [knob, value] : version.knobs) text += " " + knob + "=" + value;
  for (const std::string& flag : version.flags) text += " " + flag;
  return text;
}

class StructureTest : public test::CompilerTest {
 protected:
  /// The measures of a version, compiled for AVX2, or for VNNI where its source asks for it.
  static std::map<std::string, double> measure(const Version& version,
                                               std::string_view comment = {},
                                               std::uint64_t padding = 0) {
    const std::string source = source_of(version);
    const auto space = parse_kernel_space(version.name, source);
    EXPECT_TRUE(space) << shown(version);
    if (!space) return {};
    Kernel kernel = space->defaults(version.name, source);
    for (const auto& [knob, value] : version.knobs) kernel.knobs.at(knob) = value;
    EXPECT_TRUE(space->admits(kernel)) << shown(version);
    BuildRequest request;
    request.source = source + std::string(comment);
    request.include_dir = tasks + "/include";
    request.defines = space->macros(kernel);
    request.flags = space->flags(kernel);
    request.trusted = true;
    request.padding = padding;
    if (request.flags.empty()) request.flags = {"-O3"};
    std::erase_if(request.flags,
                  [](const std::string& flag) { return flag.starts_with("-march"); });
    request.flags.push_back("-march=x86-64-v3");
    request.flags.insert(request.flags.end(), version.flags.begin(), version.flags.end());
    if (source.find("_mm512_dp") != source.npos) {
      request.flags.insert(request.flags.end(), {"-mavx512f", "-mavx512vnni"});
    }
    const auto output = compiler_->build(request);
    EXPECT_TRUE(output && output->ok()) << shown(version) << (output ? output->message : "");
    if (!output || !output->ok()) return {};
    Tools tools;
    tools.tools_dir = KE_BINARY_DIR;
    tools.level = compiler_->options().level;
    const auto found = describe_binary(tools, output->shared_object);
    EXPECT_TRUE(found) << shown(version);
    return found ? found->measures : std::map<std::string, double>{};
  }

  using Cell = std::vector<double>;
  /// The cell on the default axes of structure.
  static Cell cell(const Version& version) {
    const auto measures = measure(version);
    Cell cell;
    for (const DescriptorAxis& axis : descriptor_axes()) {
      if (axis.name == "loop_depth") {
        const double depth = measures.at("loop_depth");
        cell.push_back(
            static_cast<double>(std::ranges::upper_bound(axis.edges, depth) - axis.edges.begin()));
      } else if (axis.name == "engine" || axis.name == "data_path") {
        cell.push_back(measures.at(std::string(axis.name)));
      }
    }
    return cell;
  }
  /// Share of pairs in one cell; tells those that are against the rule.
  static double shared(const std::vector<Pair>& pairs, bool expected) {
    double together = 0;
    for (const Pair& pair : pairs) {
      const Cell one = cell(pair.one), other = cell(pair.other);
      together += one == other ? 1 : 0;
      if ((one == other) == expected) continue;
      std::string text;
      for (const double value : one) text += " " + std::to_string(static_cast<int>(value));
      text += " and";
      for (const double value : other) text += " " + std::to_string(static_cast<int>(value));
      std::printf("%s | %s:%s\n", shown(pair.one).c_str(), shown(pair.other).c_str(), text.c_str());
    }
    return together / static_cast<double>(pairs.size());
  }
};

std::string_view label_of(std::string_view axis, double value) {
  const auto found = std::ranges::find(descriptor_axes(), axis, &DescriptorAxis::name);
  const auto kind = std::ranges::find(found->kinds, value, &DescriptorKind::value);
  return kind == found->kinds.end() ? std::string_view("?") : kind->label;
}

TEST_F(StructureTest, measures_say_what_a_reader_says_of_the_source) {
  double right = 0;
  for (const Labelled& kernel : labelled()) {
    const auto measures = measure(kernel.version);
    const double loops = measures.at("loop_depth");
    const auto data_path = label_of("data_path", measures.at("data_path"));
    const auto engine = label_of("engine", measures.at("engine"));
    if (loops == kernel.loops && data_path == kernel.data_path && engine == kernel.engine) {
      right += 1;
      continue;
    }
    std::printf("%s: %g %s %s, labelled %d %s %s\n", shown(kernel.version).c_str(), loops,
                std::string(data_path).c_str(), std::string(engine).c_str(), kernel.loops,
                std::string(kernel.data_path).c_str(), std::string(kernel.engine).c_str());
  }
  EXPECT_GE(right / static_cast<double>(labelled().size()), 0.8);
}

TEST_F(StructureTest, other_structure_is_another_cell) {
  EXPECT_LE(shared(different(), false), 0.2);
}

TEST_F(StructureTest, other_knobs_flags_and_unrolling_stay_in_their_cell) {
  EXPECT_GE(shared(alike(), true), 0.8);
}

TEST_F(StructureTest, a_rebuild_with_another_comment_and_layout_measures_the_same) {
  for (const Labelled& kernel : labelled()) {
    EXPECT_EQ(measure(kernel.version), measure(kernel.version, "\n// another comment\n", 7))
        << shown(kernel.version);
  }
}

}  // namespace
}  // namespace ke
