#pragma once
// Options of a model that go into its requests as settings: temperature, top_p, seed, effort.

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "core/params.hpp"

namespace ke {

/// Names of all sampling settings.
std::span<const std::string_view> sampling_names();

/// Reads the settings that the document gives, in canonical text ("0.7"); no others, so that the
/// rest keep the provider's defaults. Declares them all when options are listed.
std::map<std::string, std::string> read_sampling(Params& params);

}  // namespace ke
