// Prints the SHA-256 of "abc" through the installed library.
#include <iostream>

#include "core/hash.hpp"

int main() { std::cout << ke::sha256("abc").hex() << '\n'; }
