// Baseline: layer normalisation of oneDNN 2.x on one thread; a primitive is made once per shape. Trusted: it loads a library.
#include <dlfcn.h>
#include <dnnl.h>

#include <cstddef>
#include <cstdlib>
#include <map>

namespace {

/// The functions of oneDNN 2.x used here, found when first called.
struct Library {
  void* handle = dlopen("libdnnl.so.2", RTLD_NOW | RTLD_LOCAL);
  template <class Function>
  Function* find(const char* name) const {
    return handle == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(handle, name));
  }
};
#define DNN(name) (library().find<decltype(name)>(#name))

const Library& library() {
  static const Library it = [] {
    setenv("OMP_NUM_THREADS", "1", 1);
    return Library();
  }();
  return it;
}

void require(dnnl_status_t status) {
  if (status != dnnl_success) std::abort();  // a baseline that does not run must not look like one that is fast
}

struct Machine {
  dnnl_engine_t engine = nullptr;
  dnnl_stream_t stream = nullptr;
  Machine() {
    require(DNN(dnnl_engine_create)(&engine, dnnl_cpu, 0));
    require(DNN(dnnl_stream_create)(&stream, engine, dnnl_stream_default_flags));
  }
};
Machine& machine() {
  static Machine it;
  return it;
}

dnnl_memory_t memory(const dnnl_memory_desc_t& description) {
  dnnl_memory_t it;
  require(DNN(dnnl_memory_create)(&it, &description, machine().engine, nullptr));
  return it;
}
void point(dnnl_memory_t to, const float* data) {
  static const auto set = DNN(dnnl_memory_set_data_handle);
  require(set(to, const_cast<float*>(data)));
}
dnnl_primitive_t primitive(const_dnnl_op_desc_t op, dnnl_primitive_desc_t* description) {
  require(DNN(dnnl_primitive_desc_create)(description, op, nullptr, machine().engine, nullptr));
  dnnl_primitive_t it;
  require(DNN(dnnl_primitive_create)(&it, *description));
  return it;
}
void execute(dnnl_primitive_t what, int count, const dnnl_exec_arg_t* arguments) {
  static const auto run = DNN(dnnl_primitive_execute);
  require(run(what, machine().stream, count, arguments));
}

struct LayerNorm {
  dnnl_primitive_t run;
  dnnl_memory_t x, y, weight, bias;

  LayerNorm(std::size_t rows, std::size_t cols) {
    const dnnl_dims_t dims = {static_cast<dnnl_dim_t>(rows), static_cast<dnnl_dim_t>(cols)};
    dnnl_memory_desc_t data, vector;
    require(DNN(dnnl_memory_desc_init_by_tag)(&data, 2, dims, dnnl_f32, dnnl_ab));
    require(DNN(dnnl_memory_desc_init_by_tag)(&vector, 1, dims + 1, dnnl_f32, dnnl_a));
    dnnl_layer_normalization_desc_t op;
    require(DNN(dnnl_layer_normalization_forward_desc_init)(&op, dnnl_forward_inference, &data, nullptr, 1e-5f,
                                                             dnnl_use_scale | dnnl_use_shift));
    dnnl_primitive_desc_t description;
    run = primitive(&op, &description);
    x = memory(data);
    y = memory(data);
    weight = memory(vector);
    bias = memory(vector);
  }
};

}  // namespace

extern "C" void kernel(const float* x, const float* weight, const float* bias, float* y, std::size_t rows,
                       std::size_t cols) {
  static std::map<std::pair<std::size_t, std::size_t>, LayerNorm> made;
  const LayerNorm& it = made.try_emplace({rows, cols}, rows, cols).first->second;
  point(it.x, x);
  point(it.weight, weight);
  point(it.bias, bias);
  point(it.y, y);
  const dnnl_exec_arg_t arguments[] = {
      {DNNL_ARG_SRC, it.x}, {DNNL_ARG_SCALE, it.weight}, {DNNL_ARG_SHIFT, it.bias}, {DNNL_ARG_DST, it.y}};
  execute(it.run, 4, arguments);
}
