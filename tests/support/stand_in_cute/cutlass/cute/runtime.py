def make_ptr(dtype, value, mem_space="generic", assumed_align=None):
    return f"{dtype.__name__} at {value} in {mem_space}, align {assumed_align}"
