#include "operators/llm/providers/registry.hpp"

namespace ke {
namespace {

#define KE_PROVIDER(name, doc) {#name, doc, &make_##name##_provider},
constexpr Component<ProviderFactory> table[] = {
#include "operators/llm/providers/providers.def"
};
#undef KE_PROVIDER

}  // namespace

std::span<const Component<ProviderFactory>> llm_providers() { return table; }

std::unique_ptr<LlmClient> make_llm_client(Params& params, const LlmWorld& world) {
  const std::string kind = params.choice("kind", "mailbox", component_names(llm_providers()),
                                         "who answers the requests of operators");
  const auto* row = find_component(llm_providers(), kind);
  return row == nullptr ? nullptr : row->make(params, world);
}

}  // namespace ke
