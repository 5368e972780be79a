"""A small writer of PDFs for tests: pages of lines, in any script."""

from __future__ import annotations

import io
from pathlib import Path

Page = str | bytes
"""Lines of text; bytes are a content stream as it is."""


def pdf(*pages: Page, labels: str = "", count: int | None = None) -> bytes:
    """The bytes of a PDF. `labels`: a number tree ("0 << /S /r >> 2 << /S /D >>")."""
    used = sorted({char for page in pages if isinstance(page, str) for char in page} - {"\n"})
    bodies = [b"", b"", *_font(used)]  # catalog and page tree come last
    kids: list[int] = []
    for page in pages:
        content = page if isinstance(page, bytes) else _content(page)
        bodies.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content))
        bodies.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R"
            b" /Resources << /Font << /F 3 0 R >> >> >>" % len(bodies)
        )
        kids.append(len(bodies))
    tree = f"/PageLabels << /Nums [{labels}] >>" if labels else ""
    bodies[0] = f"<< /Type /Catalog /Pages 2 0 R {tree} >>".encode()
    listed = " ".join(f"{kid} 0 R" for kid in kids)
    number = len(pages) if count is None else count
    bodies[1] = f"<< /Type /Pages /Count {number} /Kids [{listed}] >>".encode()
    return _file(bodies)


def write(path: Path, *pages: Page, labels: str = "") -> Path:
    """The same in a file; its folders are made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(pdf(*pages, labels=labels))
    return path


def encrypted(data: bytes, *, password: str) -> bytes:
    """The same PDF behind a password; with "" it can be read, and not be changed."""
    from pypdf import PdfReader, PdfWriter  # noqa: PLC0415 - tests of the extra only

    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(data)))
    writer.encrypt(password, owner_password="owner", algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def _content(text: str) -> bytes:
    shown = [f"<{line.encode('utf-16-be').hex()}> Tj T*" for line in text.split("\n")]
    return ("BT /F 10 Tf 12 TL 72 720 Td " + " ".join(shown) + " ET").encode()


def _font(used: list[str]) -> list[bytes]:
    """A font whose codes are UTF-16, as its map says."""
    codes = "\n".join(
        f"<{c.encode('utf-16-be').hex()}> <{c.encode('utf-16-be').hex()}>" for c in used
    )
    cmap = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /T def\n"
        "1 begincodespacerange <0000> <FFFF> endcodespacerange\n"
        f"{len(used)} beginbfchar\n{codes}\nendbfchar\nendcmap end end"
    ).encode()
    return [
        b"<< /Type /Font /Subtype /Type0 /BaseFont /T /Encoding /Identity-H"
        b" /DescendantFonts [4 0 R] /ToUnicode 5 0 R >>",
        b"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /T /DW 500"
        b" /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(cmap), cmap),
    ]


def _file(bodies: list[bytes]) -> bytes:
    parts = [b"%PDF-1.7\n"]
    offsets: list[int] = []
    start = len(parts[0])
    for number, body in enumerate(bodies, 1):
        offsets.append(start)
        parts.append(b"%d 0 obj\n%s\nendobj\n" % (number, body))
        start += len(parts[-1])
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    return b"".join(parts) + (
        b"xref\n0 %d\n0000000000 65535 f \n%strailer << /Size %d /Root 1 0 R >>\n"
        b"startxref\n%d\n%%%%EOF\n" % (len(bodies) + 1, table, len(bodies) + 1, start)
    )
