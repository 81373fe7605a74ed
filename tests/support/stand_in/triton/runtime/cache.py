def triton_key():
    raise AssertionError("the adapter replaces it")
