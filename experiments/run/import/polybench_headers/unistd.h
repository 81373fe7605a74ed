// Empty: the parser reads no declarations of the C library.
