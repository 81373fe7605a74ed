#include "operators/llm/client/dialect.hpp"

namespace ke {
namespace {

#define KE_DIALECT(name, doc) {#name, doc, &make_##name##_dialect},
constexpr Component<DialectFactory> table[] = {
#include "operators/llm/client/dialects/dialects.def"
};
#undef KE_DIALECT

}  // namespace

std::vector<std::string> Dialect::headers(std::string_view) const { return {}; }

std::span<const Component<DialectFactory>> dialects() { return table; }

}  // namespace ke
