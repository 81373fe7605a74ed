#pragma once
// The PostgreSQL server of this test program.

#include <string>

namespace ke::test {

/// The address of its database.
const std::string& server_url();

}  // namespace ke::test
