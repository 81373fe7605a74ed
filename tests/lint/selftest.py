#!/usr/bin/env python3
"""The lint rules find what they should, and leave good code alone."""
import pathlib
import re
import unittest

import includes
import references
import sizes
import tree
import words


def include_problem(path, line):
    return bool(list(includes.check_source(pathlib.Path(path), line)))


def word_problem(path, line):
    path = pathlib.Path(path)
    return any(where(path) and re.search(pattern, tree.code(line)) for pattern, where, _ in words.RULES)


def comment_problem(line):
    return any(re.search(pattern, tree.comments(line)) for pattern, _ in words.COMMENT_RULES)


def raw_problem(line):
    return any(re.search(pattern, line) for pattern, _ in words.RAW_RULES)


class Includes(unittest.TestCase):
    def test_upward_and_sibling_includes_are_found(self):
        for path, line in [("core/x.cpp", '#include "archive/grid.hpp"'), ("archive/x.cpp", '#include "fitness/task.hpp"'),
                           ("operators/x.hpp", '#include "archive/grid.hpp"'), ("fitness/x.cpp", '#include "experiments/cli.hpp"'),
                           ("experiments/x.cpp", '#include "tests/fake.hpp"'), ("core/x.cpp", '#include "result.hpp"'),
                           ("core/x.cpp", '#include "core/absent.hpp"')]:
            self.assertTrue(include_problem(path, line), (path, line))

    def test_backends_that_others_include_are_found(self):
        for path, target in [("fitness/hip/x.cpp", "fitness/cuda/nvrtc.hpp"), ("fitness/gpu/x.hpp", "fitness/cuda/nvrtc.hpp"),
                             ("fitness/x.cpp", "fitness/cpu/cpu_evaluator.hpp"), ("fitness/host/x.cpp", "fitness/opencl/runner.hpp")]:
            self.assertTrue(include_problem(path, f'#include "{target}"'), (path, target))
        for path, target in [("fitness/hip/x.cpp", "fitness/gpu/driver.hpp"), ("fitness/cuda/x.cpp", "fitness/cuda/nvrtc.hpp"),
                             ("fitness/programs/cuda.cpp", "fitness/cuda/nvrtc.hpp"),
                             ("experiments/x.cpp", "fitness/cuda/nvrtc.hpp"), ("tests/x_test.cpp", "fitness/cpu/cpu_evaluator.hpp")]:
            self.assertFalse(include_problem(path, f'#include "{target}"'), (path, target))

    def test_upward_includes_within_experiments_are_found(self):
        for path, target, upward in [("experiments/run/run_one.cpp", "experiments/study/sweep/sweep.hpp", True),
                                     ("experiments/view/x.cpp", "experiments/cli/verb.hpp", True),
                                     ("experiments/x.cpp", "experiments/run/places.hpp", True),
                                     ("experiments/view/x.cpp", "experiments/study/sweep/sweep.hpp", False),
                                     ("experiments/run/x.cpp", "experiments/run/places.hpp", False)]:
            self.assertEqual(bool(include_problem(path, f'#include "{target}"')), upward, (path, target))

    def test_foreign_headers_are_found_in_headers_only(self):
        for name in ("Eigen/Dense", "boost/math/distributions.hpp", "sqlite3.h", "SQLiteCpp/Database.h", "curl/curl.h",
                     "yaml-cpp/yaml.h", "nlohmann/json.hpp", "spdlog/spdlog.h", "openssl/sha.h", "seccomp.h",
                     "Random123/philox.h", "fmt/format.h"):
            self.assertTrue(include_problem("core/x.hpp", f"#include <{name}>"), name)
            self.assertFalse(include_problem("core/x.cpp", f"#include <{name}>"), name)

    def test_vendor_headers_are_found_everywhere(self):
        for name in ("cuda.h", "cuda_runtime.h", "nvml.h", "nvrtc.h", "hip/hip_runtime.h", "CL/cl.h"):
            self.assertTrue(include_problem("fitness/cuda/x.cpp", f"#include <{name}>"), name)
        self.assertTrue(includes.VENDOR_LINK.search("find_package(CUDAToolkit)"))
        self.assertTrue(includes.VENDOR_LINK.search("target_link_libraries(x PRIVATE OpenCL::OpenCL)"))

    def test_downward_includes_are_left_alone(self):
        for path in ("core/x.hpp", "archive/x.cpp", "experiments/x.cpp", "tests/core/x_test.cpp"):
            self.assertFalse(include_problem(path, '#include "core/result.hpp"'), path)
            self.assertFalse(include_problem(path, "#include <vector>"), path)


class Budgets(unittest.TestCase):
    def test_a_room_above_its_lines_or_files_is_named(self):
        page = "# x\n\n## Size\n\n| room | lines | files |\n|---|---|---|\n| `core` | 1,000 | 20 |\n| `a/b` | 30 | 4 |\n"
        allowed = sizes.budgets(page)
        self.assertEqual(allowed, {"core": (1000, 20), "a/b": (30, 4)})
        for spent, named in [((1000, 20), 0), ((1001, 20), 1), ((1000, 21), 1)]:
            self.assertEqual(len(list(sizes.over_budget({"core": spent, "a/b": (30, 4)}, allowed))), named)
        self.assertEqual(sizes.room_of(pathlib.Path("a/b/c.cpp"), allowed), "a/b")
        self.assertIsNone(sizes.room_of(pathlib.Path("a/bc/c.cpp"), allowed))

    def test_comments_docstrings_and_blank_lines_are_not_counted(self):
        code = tree.python_code('"""Page."""\nimport x\n\n# why\ndef f():\n    """What.\n\n    More."""\n    return "a  # b"\n')
        self.assertEqual([line for line in code.split("\n") if line.strip()],
                         ["import x", "def f():", '    return "a  # b"'])


class Private(unittest.TestCase):
    def test_a_header_that_another_room_reaches_is_public(self):
        x, y = pathlib.Path("archive/x.hpp"), pathlib.Path("archive/y.hpp")
        sources = {x: "#include <sqlite3.h>", y: '#include "archive/x.hpp"',
                   pathlib.Path("archive/y.cpp"): '#include "archive/y.hpp"',
                   pathlib.Path("tests/archive/y_test.cpp"): '#include "archive/y.hpp"'}
        self.assertEqual(includes.private_headers(sources), {x, y})
        sources[pathlib.Path("experiments/y.cpp")] = '#include "archive/y.hpp"'
        self.assertEqual(includes.private_headers(sources), set())


class Words(unittest.TestCase):
    def test_forbidden_words_are_found(self):
        for line in ["std::regex r;", "#include <regex>", "std::uniform_int_distribution<int> d;", "std::random_device d;",
                     "std::getenv(name);", "std::cout << 1;", 'printf("x");', 'fmt::print("x");', "std::exit(1);"]:
            self.assertTrue(word_problem("core/x.cpp", line), line)

    def test_the_command_line_may_print_and_read_the_environment(self):
        for line in ["std::getenv(name);", "std::cout << 1;"]:
            self.assertFalse(word_problem("experiments/cli/main.cpp", line), line)

    def test_comments_strings_and_like_names_are_left_alone(self):
        for line in ["// std::regex is slow", 'auto s = "printf(";', "snprintf(buffer, n, f);", "_exit(1);",
                     "fmt::format_to(out, x);", "a.printed();"]:
            self.assertFalse(word_problem("core/x.cpp", line), line)

    def test_marks_and_machine_paths_are_found(self):
        for line in ["// TODO later", "# FIXME", "cd /work/tree", "/Users/x"]:
            self.assertTrue(raw_problem(line), line)
        for line in ["build/work/x", "${ROOT}/work/x", "/home/user/x", "/usr/lib", "$PWD/work/x", "network/root/x"]:
            self.assertFalse(raw_problem(line), line)

    def test_comments_that_begin_with_of_or_what_are_found(self):
        for line in ["// Of a run", "/// What it does", "int a;  ///< Of it", "int a = 1'000;  // What for", "//! Of it"]:
            self.assertTrue(comment_problem(line), line)
        for line in ['auto s = "// Of a run";', "// Often", "// the sum of it", "Of(What);", "/// Whatever", 'R"(// What)"']:
            self.assertFalse(comment_problem(line), line)


class Sizes(unittest.TestCase):
    def measure(self, source):
        return list(sizes.functions(sizes.preprocessed(source)))

    def test_functions_are_counted_in_code_lines(self):
        self.assertEqual(self.measure("int f(int a) {\n  // why\n\n  return a;\n}\n"), [(1, 3)])
        self.assertEqual(self.measure("namespace a {\nstruct B {\n  int g() const { return 1; }\n};\n}\n"), [(3, 1)])
        self.assertEqual(self.measure("B::B(int a) : a_(a), b_{1} {\n}\n"), [(1, 2)])
        self.assertEqual(self.measure("TEST(A, b) {\n  if (x) {\n  }\n  f('{');\n}\n"), [(1, 5)])

    def test_types_and_tables_are_no_functions(self):
        self.assertEqual(self.measure("enum class A { b, c };\nint x[] = {1, 2};\n#define F(x) { x\n"), [])


class Versions(unittest.TestCase):
    def test_a_place_with_another_version_is_found(self):
        texts = {"CMakeLists.txt": "project(KernelEvolve VERSION 1.2.3 LANGUAGES CXX)", "CITATION.cff": "a: b\nversion: 1.2.3\n",
                 "CHANGELOG.md": "# C\n\n## 1.2.3, not released yet\n\n## 1.2.2\n",
                 "experiments/python/kernelevolve/__init__.py": '__version__ = "1.2.3"\n',
                 "tests/integration/install/CMakeLists.txt": "find_package(KernelEvolve 1.2.3 REQUIRED)\n"}
        self.assertEqual(list(references.check_versions(texts.get)), [])
        for place in texts:
            other = {**texts, place: texts[place].replace("1.2.3", "1.2.4")}
            self.assertTrue(list(references.check_versions(other.get)), place)


class Code(unittest.TestCase):
    def test_comments_and_strings_are_blanked_and_lines_stay(self):
        blanked = tree.code('a; // b\n/* c\n d */ e("f\\"g"); R"(h\n)" i 1\'000 \'"\' j')
        self.assertEqual(blanked.count("\n"), 3)
        for letter in "bcdfgh":
            self.assertNotIn(letter, blanked)
        for letter in "aeij":
            self.assertIn(letter, blanked)

    def test_comments_alone_are_kept_and_lines_stay(self):
        self.assertEqual(tree.comments('a; // b\n/* c\n d */ "// e"\n\'"\'; // f\ng'), "// b\n\n\n// f\n")


if __name__ == "__main__":
    unittest.main()
