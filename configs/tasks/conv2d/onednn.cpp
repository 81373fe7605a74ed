// Baseline: convolution of oneDNN 2.x on one thread; primitives are made once per
// shape. The library chooses its own layouts, as its users do; reordering into and out of them is part of the call.
// Trusted: it loads a library.
#include <cstddef>
#include <map>
#include <tuple>

#include "onednn.hpp"

namespace {

using namespace dnn;

/// One operand: as the task lays it out, as the primitive wants it, and the way between them if they differ.
struct Operand {
  dnnl_memory_t plain = nullptr, wanted = nullptr;
  dnnl_primitive_t reorder = nullptr;

  Operand() = default;
  Operand(const dnnl_memory_desc_t& mine, const dnnl_memory_desc_t& its, bool output) {
    plain = memory(mine);
    if (DNN(dnnl_memory_desc_equal)(&mine, &its)) return;
    require(DNN(dnnl_memory_create)(&wanted, &its, machine().engine, DNNL_MEMORY_ALLOCATE));
    dnnl_primitive_desc_t description;
    require(DNN(dnnl_reorder_primitive_desc_create)(&description, output ? &its : &mine, machine().engine,
                                                    output ? &mine : &its, machine().engine, nullptr));
    require(DNN(dnnl_primitive_create)(&reorder, description));
  }
  dnnl_memory_t used() const { return wanted == nullptr ? plain : wanted; }
  void move(bool output) const {
    if (reorder == nullptr) return;
    const dnnl_exec_arg_t arguments[] = {{DNNL_ARG_FROM, output ? wanted : plain},
                                         {DNNL_ARG_TO, output ? plain : wanted}};
    execute(reorder, 2, arguments);
  }
};

dnnl_memory_desc_t described(const dnnl_dims_t dims, dnnl_format_tag_t tag) {
  dnnl_memory_desc_t it;
  require(DNN(dnnl_memory_desc_init_by_tag)(&it, 4, dims, dnnl_f32, tag));
  return it;
}

struct Convolution {
  dnnl_primitive_t run;
  Operand x, weight, y;

  Convolution(dnnl_dim_t images, dnnl_dim_t channels, dnnl_dim_t filters, dnnl_dim_t height, dnnl_dim_t width) {
    const dnnl_dims_t x_dims = {images, channels, height, width}, weight_dims = {filters, channels, 3, 3},
                      y_dims = {images, filters, height, width}, one = {1, 1};
    const dnnl_memory_desc_t any_x = described(x_dims, dnnl_format_tag_any),
                             any_weight = described(weight_dims, dnnl_format_tag_any),
                             any_y = described(y_dims, dnnl_format_tag_any);
    dnnl_convolution_desc_t op;
    require(DNN(dnnl_convolution_forward_desc_init)(&op, dnnl_forward_inference, dnnl_convolution_direct, &any_x,
                                                    &any_weight, nullptr, &any_y, one, one, one));
    dnnl_primitive_desc_t description;
    run = primitive(&op, &description);
    const auto wanted = [&](dnnl_query_t what) { return *DNN(dnnl_primitive_desc_query_md)(description, what, 0); };
    x = Operand(described(x_dims, dnnl_nchw), wanted(dnnl_query_src_md), false);
    weight = Operand(described(weight_dims, dnnl_oihw), wanted(dnnl_query_weights_md), false);
    y = Operand(described(y_dims, dnnl_nchw), wanted(dnnl_query_dst_md), true);
  }
};

}  // namespace

extern "C" void kernel(const float* x, const float* weight, float* y, std::size_t images, std::size_t channels,
                       std::size_t filters, std::size_t height, std::size_t width) {
  static std::map<std::tuple<std::size_t, std::size_t, std::size_t, std::size_t, std::size_t>, Convolution> made;
  const Convolution& it =
      made.try_emplace({images, channels, filters, height, width}, images, channels, filters, height, width)
          .first->second;
  point(it.x.plain, x);
  point(it.weight.plain, weight);
  point(it.y.plain, y);
  it.x.move(false);
  it.weight.move(false);
  const dnnl_exec_arg_t arguments[] = {
      {DNNL_ARG_SRC, it.x.used()}, {DNNL_ARG_WEIGHTS, it.weight.used()}, {DNNL_ARG_DST, it.y.used()}};
  execute(it.run, 3, arguments);
  it.y.move(true);
}
