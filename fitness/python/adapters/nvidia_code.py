"""What PTX and machine code of an NVIDIA GPU say of the kernels in them.

Where .nv.info has registers and local memory was seen in cubins of ptxas 13.0 for sm_80, sm_90a, sm_100a and sm_120a.
"""
import re
import struct
from collections import namedtuple

Entry = namedtuple("Entry", "name parameter_bytes block directives dynamic_shared static_shared")

ENTRY = re.compile(r"\.entry\s+([\w$]+)\s*(?:\(([^)]*)\))?([^{;]*)\{")
BYTES = re.compile(r"\.[bsuf](8|16|32|64|128)\s")
ARRAY = re.compile(r"\[(\d+)\]\s*$")
REQUIRED = re.compile(r"\.reqntid\s+([\d,\s]+)")
EXTERN_SHARED = re.compile(r"\.extern\s+\.shared\b")
SHARED = re.compile(r"(?<!\.extern )\.shared\s+(?:\.align\s+\d+\s+)?(\.[bsuf]\d+\s+[\w$]+(?:\[\d+\])?)\s*;")

# In .nv.info: a record that states its length, with a symbol and its registers or its bytes of local memory.
SVAL, REGISTER_COUNT, FRAME_SIZE = 4, 0x2f, 0x11


def bytes_of(parameter):
    """Of `.param .align 8 .b8 name[24]`, 24."""
    unit, count = BYTES.search(parameter + " "), ARRAY.search(parameter)
    return (int(unit.group(1)) // 8 if unit else 0) * (int(count.group(1)) if count else 1)


def entries(ptx):
    """Kernels of a PTX text. `block` is what .reqntid demands, or empty; shared memory is the whole text's."""
    text = re.sub(r"//[^\n]*", "", ptx)
    found = []
    for name, parameters, directives in ENTRY.findall(text):
        block = REQUIRED.search(directives)
        found.append(Entry(name=name,
                           parameter_bytes=[bytes_of(each) for each in parameters.split(",") if each.strip()],
                           block=[int(each) for each in block.group(1).split(",")] if block else [],
                           directives=set(re.findall(r"\.\w+", directives)),
                           dynamic_shared=EXTERN_SHARED.search(text) is not None,
                           static_shared=sum(map(bytes_of, SHARED.findall(text)))))
    return found


def sections(elf):
    at, = struct.unpack_from("<Q", elf, 40)
    count, names = struct.unpack_from("<HH", elf, 60)
    rows = [struct.unpack_from("<IIQQQQIIQQ", elf, at + 64 * i) for i in range(count)]
    for row in rows:
        start = rows[names][4] + row[0]
        yield elf[start:elf.index(b"\0", start)].decode("ascii", "replace"), elf[row[4]:row[4] + row[5]]


def use(elf):
    """Most registers and bytes of local memory that a kernel of the module uses, as its .nv.info tells the driver; 0
    where it tells nothing."""
    most = {REGISTER_COUNT: 0, FRAME_SIZE: 0}
    for content in (content for name, content in sections(elf) if name == ".nv.info"):
        at = 0
        while at + 4 <= len(content):
            form, kind, size = struct.unpack_from("<BBH", content, at)
            at += 4
            if form == SVAL and kind in most:
                most[kind] = max(most[kind], struct.unpack_from("<II", content, at)[1])
            at += size if form == SVAL else 0
    return most[REGISTER_COUNT], most[FRAME_SIZE]
