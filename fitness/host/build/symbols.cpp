#include "fitness/host/build/symbols.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/text.hpp"

namespace ke {
namespace {

// Functions of libm without the suffix of their type (f for float, l for long double).
constexpr std::string_view math_symbols[] = {
    "acos",        "acosh",    "asin",      "asinh",     "atan",       "atan2",        "atanh",
    "cbrt",        "ceil",     "copysign",  "cos",       "cosh",       "erf",          "erfc",
    "exp",         "exp10",    "exp2",      "expm1",     "fabs",       "fdim",         "floor",
    "fma",         "fmax",     "fmin",      "fmod",      "frexp",      "hypot",        "ilogb",
    "j0",          "j1",       "jn",        "ldexp",     "lgamma",     "llrint",       "llround",
    "log",         "log10",    "log1p",     "log2",      "logb",       "lrint",        "lround",
    "modf",        "nan",      "nearbyint", "nextafter", "nexttoward", "pow",          "remainder",
    "remquo",      "rint",     "round",     "roundeven", "scalb",      "scalbln",      "scalbn",
    "significand", "sin",      "sincos",    "sinh",      "sqrt",       "tan",          "tanh",
    "tgamma",      "trunc",    "y0",        "y1",        "yn",         "__fpclassify", "__isinf",
    "__isnan",     "__finite", "__signbit", "cexp",      "clog",       "csqrt",        "cabs",
    "carg",        "cpow",     "csin",      "ccos"};

constexpr std::string_view exact_math_symbols[] = {
    "fegetround", "fesetround",   "feclearexcept", "feraiseexcept",  "fetestexcept",    "fegetenv",
    "fesetenv",   "feholdexcept", "feupdateenv",   "feenableexcept", "fedisableexcept", "signgam"};

// clang-format off
constexpr std::string_view libc_symbols[] = {
    "_GLOBAL_OFFSET_TABLE_", "__dso_handle", "__tls_get_addr", "__stack_chk_fail",
    "__libc_single_threaded", "memcpy", "memmove", "memset", "memcmp", "memchr", "memrchr",
    "mempcpy", "memmem", "bzero", "strlen", "strcmp", "strncmp", "strcpy", "strncpy", "strchr",
    "strrchr", "strcat", "strnlen", "__memcpy_chk", "__memmove_chk", "__memset_chk", "__strcpy_chk",
    "__strncpy_chk", "malloc", "calloc", "realloc", "free", "aligned_alloc", "posix_memalign",
    "memalign", "reallocarray", "malloc_usable_size", "qsort", "bsearch", "abs", "labs", "llabs",
    "div", "ldiv", "lldiv", "abort", "__assert_fail", "__errno_location", "pthread_create",
    "pthread_join", "pthread_detach", "pthread_self", "pthread_equal", "pthread_once",
    "pthread_mutex_init", "pthread_mutex_lock", "pthread_mutex_trylock", "pthread_mutex_unlock",
    "pthread_mutex_destroy", "pthread_cond_init", "pthread_cond_wait", "pthread_cond_signal",
    "pthread_cond_broadcast", "pthread_cond_destroy", "pthread_barrier_init",
    "pthread_barrier_wait", "pthread_barrier_destroy", "pthread_spin_init", "pthread_spin_lock",
    "pthread_spin_unlock", "pthread_attr_init", "pthread_attr_destroy", "pthread_attr_setstacksize",
    "pthread_key_create", "__pthread_key_create", "pthread_getspecific", "pthread_setspecific",
    "sched_yield", "sysconf"};

// Prefixes of the runtime libraries behind language features.
constexpr std::string_view runtime_symbols[] = {"GOMP_",          "omp_",
                                                "_ZGV",           "__cxa_",
                                                "_Unwind_",       "__gxx_personality",
                                                "_ZSt",           "_ZNSt",
                                                "_ZNKSt",         "_ZTISt",
                                                "_ZTVSt",         "_ZTSSt",
                                                "_ZTINSt",        "_ZTVNSt",
                                                "_ZTSNSt",        "_ZTVN10__cxxabiv1",
                                                "_ZTIPK",         "_ZN9__gnu_cxx",
                                                "_ZNK9__gnu_cxx", "_Znw",
                                                "_Zna",           "_Zdl",
                                                "_Zda",           "_ZTIi",
                                                "_ZTIf",          "_ZTId",
                                                "_ZTIc",          "_ZTIb",
                                                "_ZTIm",          "_ZTIl",
                                                "_ZTIj",          "_ZTIPc",
                                                "_ZTIv",          "_ITM_",
                                                "__gmon_start__", "__once_proxy",
                                                "__dynamic_cast"};

// Parts of the C++ library that access files, streams, the clock, the environment or randomness.
constexpr std::string_view refused_parts[] = {
    "basic_ifstream", "basic_ofstream", "basic_fstream", "basic_filebuf", "basic_ostream",
    "basic_istream", "basic_iostream", "basic_file", "ios_base", "basic_ios", "streambuf", "locale",
    "filesystem", "random_device", "_ZSt4cout", "_ZSt4cerr", "_ZSt4clog", "_ZSt3cin", "_ZSt4endl",
    "_ZStls", "_ZSo", "_ZSi", "stringbuf", "stringstream", "codecvt", "use_facet", "chrono",
    "omp_set_num_threads", "omp_set_dynamic", "omp_set_nested", "omp_set_schedule",
    "omp_set_max_active_levels", "sleep_for", "quick_exit", "_ZSt13set_terminate", "_ZSt14set_unexpected", "_ZSt15set_new_handler"};

// Headers behind names that are refused, by part of the name.
constexpr std::pair<std::string_view, std::string_view> headers[] = {
    {"ios_base4Init", "iostream"}, {"_ZSt4cout", "iostream"}, {"_ZSt4cerr", "iostream"},
    {"_ZSt4clog", "iostream"}, {"_ZSt3cin", "iostream"}, {"_ZSt4endl", "iostream"},
    {"stringstream", "sstream"}, {"stringbuf", "sstream"}, {"fstream", "fstream"},
    {"filebuf", "fstream"}, {"filesystem", "filesystem"}, {"random_device", "random"},
    {"chrono", "chrono"}, {"sleep_for", "thread"}, {"codecvt", "locale"}, {"locale", "locale"},
    {"use_facet", "locale"}, {"ostream", "ostream"}, {"istream", "istream"}, {"ios_base", "ios"},
    {"basic_ios", "ios"}, {"_ZSo", "ostream"}, {"_ZSi", "istream"}};

constexpr std::pair<std::string_view, std::string_view> c_headers[] = {
    {"printf", "cstdio"}, {"fprintf", "cstdio"}, {"__printf_chk", "cstdio"},
    {"__fprintf_chk", "cstdio"}, {"snprintf", "cstdio"}, {"__snprintf_chk", "cstdio"},
    {"sprintf", "cstdio"}, {"puts", "cstdio"}, {"putchar", "cstdio"}, {"putc", "cstdio"},
    {"fputs", "cstdio"}, {"fwrite", "cstdio"}, {"fread", "cstdio"}, {"fopen", "cstdio"},
    {"fclose", "cstdio"}, {"stdout", "cstdio"}, {"stderr", "cstdio"}, {"fflush", "cstdio"},
    {"getenv", "cstdlib"}, {"setenv", "cstdlib"}, {"system", "cstdlib"}, {"exit", "cstdlib"},
    {"_Exit", "cstdlib"}, {"atexit", "cstdlib"}, {"rand", "cstdlib"}, {"srand", "cstdlib"},
    {"time", "ctime"}, {"clock", "ctime"}, {"clock_gettime", "ctime"}, {"nanosleep", "ctime"},
    {"clock_nanosleep", "ctime"}, {"usleep", "unistd.h"}, {"sleep", "unistd.h"},
    {"fork", "unistd.h"}, {"syscall", "unistd.h"}, {"getpid", "unistd.h"}, {"open", "fcntl.h"},
    {"read", "unistd.h"}, {"write", "unistd.h"}, {"mmap", "sys/mman.h"},
    {"mprotect", "sys/mman.h"}, {"dlopen", "dlfcn.h"}, {"dlsym", "dlfcn.h"},
    {"signal", "csignal"}, {"raise", "csignal"}, {"setjmp", "csetjmp"}, {"longjmp", "csetjmp"}};

// Helpers of libgcc for arithmetic that the processor lacks.
constexpr std::string_view libgcc_symbols[] = {
    "__divti3", "__udivti3", "__modti3", "__umodti3", "__divmodti4", "__udivmodti4", "__multi3",
    "__popcountdi2", "__popcountsi2", "__clzdi2", "__ctzdi2", "__cpu_model", "__cpu_indicator_init",
    "__cpu_features2", "__muldc3", "__mulsc3", "__divdc3", "__divsc3", "__mulhc3", "__divhc3",
    "__powidf2", "__powisf2", "__powitf2", "__extendhfsf2", "__truncsfhf2", "__truncdfhf2",
    "__extendhfdf2", "__truncsfbf2", "__truncdfbf2", "__floattisf", "__floattidf", "__floatuntisf",
    "__floatuntidf", "__fixsfti", "__fixdfti", "__fixunssfti", "__fixunsdfti", "__addtf3",
    "__subtf3", "__multf3", "__divtf3", "__extendsftf2", "__extenddftf2", "__trunctfsf2",
    "__trunctfdf2", "__lttf2", "__gttf2", "__letf2", "__getf2", "__eqtf2", "__netf2"};
// clang-format on

template <std::size_t N>
bool has_prefix(const std::string_view (&list)[N], std::string_view word) {
  return std::any_of(std::begin(list), std::end(list),
                     [&](std::string_view prefix) { return word.starts_with(prefix); });
}

bool is_math(std::string_view name) {
  if (holds(math_symbols, name) || holds(exact_math_symbols, name)) return true;
  std::string_view base = name;
  if (base.size() > 2 && base.ends_with("_r")) base.remove_suffix(2);  // lgammaf_r
  if (holds(math_symbols, base)) return true;
  return (base.ends_with("f") || base.ends_with("l")) &&
         holds(math_symbols, base.substr(0, base.size() - 1));
}

// Names such as _ZGVbN4v_sinf; other _ZGV names are guards of function statics.
bool is_vector_math(std::string_view name) {
  if (!name.starts_with("_ZGV") || name.size() < 8) return false;
  const std::string_view isa = "bcde", mask = "MN";
  return isa.find(name[4]) != isa.npos && mask.find(name[5]) != mask.npos;
}

bool is_runtime(std::string_view name) {
  if (!has_prefix(runtime_symbols, name)) return false;
  return std::none_of(
      std::begin(refused_parts), std::end(refused_parts),
      [&](std::string_view part) { return name.find(part) != std::string_view::npos; });
}

}  // namespace

bool is_allowed_symbol(std::string_view name) {
  return holds(libc_symbols, name) || is_math(name) || holds(libgcc_symbols, name) ||
         is_runtime(name);
}

std::string_view header_of_symbol(std::string_view name) {
  for (const auto& [function, header] : c_headers) {
    if (name == function) return header;
  }
  if (!name.starts_with("_Z")) return {};
  for (const auto& [part, header] : headers) {
    if (name.find(part) != std::string_view::npos) return header;
  }
  return {};
}

// cblas_xerbla prints, and callers may replace it.
bool is_vendor_symbol(std::string_view name) {
  return name.starts_with("cblas_") && name != "cblas_xerbla";
}

bool is_sanitizer_symbol(std::string_view name) {
  return name.starts_with("__asan_") || name.starts_with("__ubsan_") ||
         name.starts_with("__tsan_") || name.starts_with("__sanitizer_");
}

std::string_view library_of(std::string_view name) {
  if (is_vendor_symbol(name)) return "openblas";
  if (is_vector_math(name)) return "mvec";
  if (is_math(name)) return "m";
  if (name == "__tls_get_addr") return "loader";
  if (name.starts_with("GOMP_") || name.starts_with("omp_")) return "gomp";
  if (name.starts_with("__asan_")) return "asan";
  if (name.starts_with("__ubsan_")) return "ubsan";
  if (name.starts_with("__tsan_")) return "tsan";
  if (holds(libgcc_symbols, name)) return "gcc";
  if (name.starts_with("_Unwind_")) return "gcc_s";
  if (name == "__cxa_atexit" || name == "__cxa_finalize") return "c";
  if (name.starts_with("_Z") || name.starts_with("__cxa_") || name.starts_with("__gxx_") ||
      name.starts_with("__once_proxy") || name == "__dynamic_cast") {
    return "stdc++";
  }
  const bool by_linker = name == "_GLOBAL_OFFSET_TABLE_" || name == "__dso_handle";
  const bool optional = name.starts_with("_ITM_") || name == "__gmon_start__";
  return by_linker || optional ? "" : "c";
}

}  // namespace ke
