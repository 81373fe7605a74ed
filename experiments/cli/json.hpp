#pragma once
// JSON as this program writes it. Private to experiments: nlohmann's header stays out of the
// others.

#include <nlohmann/json.hpp>
#include <ostream>

namespace ke {

using Json = nlohmann::ordered_json;

/// One document, indented, with a final line end. Bytes that are no UTF-8 are replaced.
inline void write_json(std::ostream& out, const Json& json) {
  out << json.dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
}

}  // namespace ke
