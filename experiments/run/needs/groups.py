"""Takes a graph apart into groups of neighbouring operations that one kernel could compute.

Every operation begins as a group of its own; a view whose users are all in one group belongs to that group. Values
that flow between two groups are gone through from the largest to the smallest, in the order of the graph where they are
equal, again and again until nothing changes. The two groups become one if

- the result is convex: no path of the graph leaves it and comes back;
- it holds at most one heavy operation (a matrix product, a convolution, an embedding bag, attention). Two products of
  activations (matmul, bmm) may go together where the value between them is larger than what comes out, as the scores
  of attention are;
- no heavy operation needs whole rows of a value that the group computes: a reduction or normalisation may come after
  a matrix product and not before it, those between two products of activations apart;
- it takes and gives at most MOST_TENSORS tensors, its parameters counted as one;
- neither holds an operation that draws random numbers or whose result's length depends on values.

So an activation goes with the matrix product before it, and the largest intermediate results vanish first.
"""

import operator

import torch

from traced_model import bytes_of

MOST_TENSORS = 12  # a kernel takes at most 16 arguments, lengths of axes among them
PRODUCTS = {"matmul", "bmm", "baddbmm", "mm"}
HEAVY = PRODUCTS | {"linear", "addmm", "einsum", "conv1d", "conv2d", "conv3d", "convolution", "conv_transpose1d",
                    "conv_transpose2d", "embedding_bag", "scaled_dot_product_attention", "lstm", "gru"}
REDUCTIONS = {"softmax", "log_softmax", "logsumexp", "layer_norm", "native_layer_norm", "group_norm",
              "instance_norm", "rms_norm", "linalg_vector_norm", "sum", "mean", "amax", "amin", "max", "min", "argmax",
              "argmin", "var", "std", "var_mean", "cumsum", "topk", "sort", "prod"}
VIEWS = {"view", "reshape", "transpose", "permute", "expand", "expand_as", "unsqueeze", "squeeze", "slice", "select",
         "split", "split_with_sizes", "chunk", "unbind", "t", "detach", "alias", "flatten", "unflatten", "narrow",
         "movedim", "swapaxes", "_unsafe_view", "getitem", "lift_fresh_copy"}


def operation(node):
    """Name of the operation, e.g. linear, add, getitem."""
    if node.target is operator.getitem:
        return "getitem"
    return node.target._schema.name.partition("::")[2]


def is_view(node):
    return operation(node) in VIEWS


def is_closed(node):
    """True if the operation must not be merged."""
    if node.target is operator.getitem:
        return False
    if operation(node) == "index":  # masks select a number of elements that depends on values
        return any(one is not None and one.meta["val"].dtype == torch.bool for one in node.args[1])
    tags = node.target.tags
    closed = (torch.Tag.nondeterministic_seeded, torch.Tag.dynamic_output_shape, torch.Tag.data_dependent_output)
    dropped = operation(node) == "scaled_dot_product_attention" and not node.kwargs.get("dropout_p", 0.0)
    return node.target._schema.is_mutable or (any(tag in tags for tag in closed) and not dropped)


def _through_views(node):
    while node.op == "call_function" and is_view(node):
        node = node.all_input_nodes[0]
    return node


class Grouping:
    def __init__(self, traced):
        self.traced, self.results = traced, traced.results()
        self.position = {node: i for i, node in enumerate(traced.nodes)}
        self.members = {i: [node] for i, node in enumerate(traced.nodes)}
        self.owner = {node: i for i, node in enumerate(traced.nodes)}
        for node in traced.nodes:  # a list of tensors is not a value of a group
            if node.target is operator.getitem:
                self._join(self.owner[node.args[0]], self.owner[node])

        self._give_views_to_users()

    def _give_views_to_users(self):
        for node in reversed(self.traced.nodes):
            group = self.owner[node]
            after = self._after(group)
            inside = all(map(is_view, self.members[group])) and not self.results & set(self.members[group])
            if inside and len(after) == 1 and node is self.members[group][0]:
                self._join(next(iter(after)), group)

    def groups(self):
        """Lists of nodes, each after the lists whose values it takes, otherwise in graph order."""
        edges = [(-bytes_of(source), self.position[source], self.position[user], source, user)
                 for source in self.traced.nodes for user in source.users if user in self.position]
        edges.sort(key=lambda edge: edge[:3])
        changed = True
        while changed:
            changed = False
            for *_, source, user in edges:
                left, right = self.owner[source], self.owner[user]
                if left != right and self._may_join(left, right, bytes_of(source)):
                    self._join(left, right)
                    changed = True
        return self._ordered()

    def _ordered(self):
        before = {group: 0 for group in self.members}
        for group in self.members:
            for after in self._after(group):
                before[after] += 1
        ready, order = [group for group, count in before.items() if count == 0], []
        while ready:
            group = min(ready, key=lambda one: self.position[self.members[one][0]])
            ready.remove(group)
            order.append(self.members[group])
            for after in self._after(group):
                before[after] -= 1
                if before[after] == 0:
                    ready.append(after)
        return order

    def _join(self, left, right):
        nodes = self.members.pop(right)
        self.members[left] = sorted(self.members[left] + nodes, key=self.position.get)
        self.owner.update(dict.fromkeys(nodes, left))

    def _may_join(self, left, right, between):
        nodes = self.members[left] + self.members[right]
        if any(is_closed(node) for node in nodes) or not self._heavy_fit(left, right, between):
            return False
        taken, given = takes(nodes), gives(nodes, self.results)
        parameters = [node for node in taken if node in self.traced.places
                      and self.traced.places[node].kind == "parameter"]
        tensors = len(taken) - len(parameters) + bool(parameters) + len(given)
        return tensors <= MOST_TENSORS and self._convex(left, right)

    def _heavy_fit(self, left, right, between):
        nodes = self.members[left] + self.members[right]
        heavy = [node for node in nodes if operation(node) in HEAVY]
        if len(heavy) < 2:
            return not any(self._follows_reduction(node, set(nodes)) for node in heavy)
        if not all(any(node in self.members[side] for node in heavy) for side in (left, right)):
            return True  # they are already in one group
        activations = all(operation(node) in PRODUCTS and not self._has_parameter(node) for node in heavy)
        return len(heavy) == 2 and activations and between > sum(map(bytes_of, gives(nodes, self.results)))

    @staticmethod
    def _follows_reduction(node, nodes):
        """True if a node of the group before this one reduces."""
        waiting, seen = [node], {node}
        while waiting:
            before = [one for one in waiting.pop().all_input_nodes if one in nodes and one not in seen]
            if any(operation(one) in REDUCTIONS for one in before):
                return True
            seen.update(before)
            waiting += before
        return False

    def _has_parameter(self, node):
        sources = [_through_views(one) for one in node.all_input_nodes]
        return any(one in self.traced.places and self.traced.places[one].kind == "parameter" for one in sources)

    def _convex(self, left, right):
        """True if no path leads from one to the other through a third group."""
        waiting = self._after(left) - {right}
        seen = set(waiting)
        while waiting:
            after = self._after(waiting.pop())
            if right in after or left in after:
                return False
            waiting |= after - seen
            seen |= after
        return True

    def _after(self, group):
        return {self.owner[user] for node in self.members[group] for user in node.users
                if user in self.owner} - {group}


def takes(nodes):
    """Values that a group takes, in order of first use."""
    own = set(nodes)
    return list(dict.fromkeys(one for node in nodes for one in node.all_input_nodes if one not in own))


def gives(nodes, results):
    """Values of a group that others use or that forward returns."""
    own = set(nodes)
    return [node for node in nodes if node in results or any(user not in own for user in node.users)]
