#include "experiments/view/plot/figure.hpp"

namespace ke {

const std::vector<FigureKind>& figure_kinds() {
  static const std::vector<FigureKind> kinds = {
#define KE_FIGURE(name, doc) {#name, doc, &make_##name##_figure},
#include "experiments/view/plot/figures.def"
#undef KE_FIGURE
  };
  return kinds;
}

}  // namespace ke
