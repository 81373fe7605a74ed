def autotune_jit(params_dict):
    return lambda function: function
