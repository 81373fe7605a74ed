#pragma once
// oneDNN 2.x for baselines: loaded when first called, on one thread. For trusted baselines only.

#include <dlfcn.h>
#include <dnnl.h>

#include <cstdlib>

namespace dnn {

/// The functions of oneDNN 2.x used here, found when first called.
struct Library {
  void* handle = dlopen("libdnnl.so.2", RTLD_NOW | RTLD_LOCAL);
  template <class Function>
  Function* find(const char* name) const {
    return handle == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(handle, name));
  }
};
#define DNN(name) (dnn::library().find<decltype(name)>(#name))

inline const Library& library() {
  static const Library it = [] {
    setenv("OMP_NUM_THREADS", "1", 1);
    return Library();
  }();
  return it;
}

inline void require(dnnl_status_t status) {
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
inline Machine& machine() {
  static Machine it;
  return it;
}

inline dnnl_memory_t memory(const dnnl_memory_desc_t& description) {
  dnnl_memory_t it;
  require(DNN(dnnl_memory_create)(&it, &description, machine().engine, nullptr));
  return it;
}
inline void point(dnnl_memory_t to, const float* data) {
  static const auto set = DNN(dnnl_memory_set_data_handle);
  require(set(to, const_cast<float*>(data)));
}
inline dnnl_primitive_t primitive(const_dnnl_op_desc_t op, dnnl_primitive_desc_t* description) {
  require(DNN(dnnl_primitive_desc_create)(description, op, nullptr, machine().engine, nullptr));
  dnnl_primitive_t it;
  require(DNN(dnnl_primitive_create)(&it, *description));
  return it;
}
inline void execute(dnnl_primitive_t what, int count, const dnnl_exec_arg_t* arguments) {
  static const auto run = DNN(dnnl_primitive_execute);
  require(run(what, machine().stream, count, arguments));
}

}  // namespace dnn
