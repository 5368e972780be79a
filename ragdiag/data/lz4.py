"""stub"""

from ragdiag.data.content import Content
from ragdiag.data.raw_table import Kind, RawTable, fault


def read_ranx(content: Content, kind: Kind) -> RawTable:
    raise fault(content.path, "wrong_format", "lz4")
