"""What the notes of a code object for AMD GPUs say of the kernels in it."""
import re
import struct
from collections import namedtuple

Entry = namedtuple("Entry", "name parameter_bytes block resources")

NOTES, METADATA = 7, 32  # SHT_NOTE, NT_AMDGPU_METADATA
RESOURCES = {"sgprs": ".sgpr_count", "vgprs": ".vgpr_count", "agprs": ".agpr_count",
             "scratch_bytes": ".private_segment_fixed_size", "lds_bytes": ".group_segment_fixed_size"}
SPILLS = (".sgpr_spill_count", ".vgpr_spill_count")
FIXED = {0xc0: None, 0xc2: False, 0xc3: True}
NUMBERS = {0xcc: ">B", 0xcd: ">H", 0xce: ">I", 0xcf: ">Q", 0xd0: ">b", 0xd1: ">h", 0xd2: ">i", 0xd3: ">q"}
LENGTHS = {0xd9: (">B", str), 0xda: (">H", str), 0xdb: (">I", str), 0xdc: (">H", list), 0xdd: (">I", list),
           0xde: (">H", dict), 0xdf: (">I", dict)}


def unquoted(text):
    """The bytes of a string in MLIR's syntax: what is not printed as itself is a backslash and two hexadecimal digits."""
    return re.sub(rb"\\([0-9A-Fa-f]{2}|.)",
                  lambda found: bytes.fromhex(found[1].decode()) if len(found[1]) == 2 else found[1],
                  text.encode("latin-1"), flags=re.DOTALL)


def unpack(data, at):
    """A value in MessagePack and where it ends; what metadata never holds is a ValueError."""
    kind = data[at]
    at += 1
    if kind < 0x80 or kind >= 0xe0:
        return (kind if kind < 0x80 else kind - 256), at
    if kind in FIXED:
        return FIXED[kind], at
    if kind in NUMBERS:
        return struct.unpack_from(NUMBERS[kind], data, at)[0], at + struct.calcsize(NUMBERS[kind])
    if kind < 0xc0:
        form, count = (dict, kind & 15) if kind < 0x90 else (list, kind & 15) if kind < 0xa0 else (str, kind & 31)
    elif kind in LENGTHS:
        length, form = LENGTHS[kind]
        count, = struct.unpack_from(length, data, at)
        at += struct.calcsize(length)
    else:
        raise ValueError(f"a byte {kind:#x} in the metadata")
    if form is str:
        return data[at:at + count].decode(), at + count
    values = []
    for _ in range(count * (2 if form is dict else 1)):
        value, at = unpack(data, at)
        values.append(value)
    return (values if form is list else dict(zip(values[::2], values[1::2]))), at


def metadata(elf):
    start, = struct.unpack_from("<Q", elf, 40)
    count, = struct.unpack_from("<H", elf, 60)
    for i in range(count):
        _, kind, _, _, at, size = struct.unpack_from("<IIQQQQ", elf, start + 64 * i)
        end = at + size
        while kind == NOTES and at + 12 <= end:
            owner, text, note = struct.unpack_from("<III", elf, at)
            at += 12 + (owner + 3) // 4 * 4
            if note == METADATA:
                return unpack(elf, at)[0]
            at += (text + 3) // 4 * 4
    return {}


def kernels(elf):
    """`block` is what the kernel demands, or empty; parameters are those that its caller passes."""
    found = []
    for each in metadata(elf).get("amdhsa.kernels", []):
        passed = [one for one in each.get(".args", []) if not one[".value_kind"].startswith("hidden_")]
        resources = {name: each.get(key, 0) for name, key in RESOURCES.items()}
        resources["spills"] = sum(each.get(key, 0) for key in SPILLS)
        found.append(Entry(name=each[".name"], parameter_bytes=[one[".size"] for one in passed],
                           block=each.get(".reqd_workgroup_size", []), resources=resources))
    return found
