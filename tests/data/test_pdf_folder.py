"""Folders of PDFs as a corpus: pages, ids, and what cannot be read."""

from __future__ import annotations

import builtins
import sys
from pathlib import Path

import pytest

from ragdiag.data import pdf_pages
from ragdiag.data.corpus import FileCorpus, read_corpus, scan_corpus
from ragdiag.data.pdf_folder import document_id
from ragdiag.data.places import CorpusFile
from ragdiag.errors import DataError, MissingExtraError
from tests.growth import grows_linearly
from tests.pdfs import encrypted, pdf, write


def pages_of(corpus: FileCorpus) -> dict[str, str | None]:
    return {page.passage_id: page.text for page in corpus}


def test_a_page_a_passage_in_the_order_of_the_ids(tmp_path: Path) -> None:
    write(tmp_path / "b.pdf", "three")
    write(tmp_path / "a dir" / "ü x.PDF", "one", "two\nlines")
    corpus = read_corpus(tmp_path)
    assert pages_of(corpus) == {
        "a dir/ü x#p1": "one",
        "a dir/ü x#p2": "two\nlines",
        "b#p1": "three",
    }
    assert [(p.doc_id, p.page) for p in corpus][:2] == [("a dir/ü x", 1), ("a dir/ü x", 2)]
    assert (corpus.n_documents, corpus.n_passages, corpus.of_pages) == (2, 3, True)
    assert corpus.notes == ()
    for name in ("a dir/ü x", "a dir/ü x.pdf", "./a dir\\u\u0308 x.PDF"):
        assert len(corpus.passages_of(name)) == 2, name
    assert not corpus.has_document("ü x")
    assert corpus.alike("/data/Ü X.pdf") == "a dir/ü x"
    assert corpus.alike("c") is None


def test_one_pdf_is_a_corpus_too(tmp_path: Path) -> None:
    assert pages_of(read_corpus(write(tmp_path / "a.pdf", "one"))) == {"a#p1": "one"}
    found = CorpusFile(write(tmp_path / "d" / "b.pdf", "two").parent)
    assert found.places.rows() == [("b#p1", "b", "1", None)]


@pytest.mark.parametrize(
    "text",
    [
        "Umsatz 5 Mio. €, größer", "Выручка выросла", "بلغت الإيرادات", "הכנסות החברה", "राजस्व बढ़ा",
        "รายได้เพิ่มขึ้น", "收入增长了百分之五。", "売上高は増加した。", "매출이 증가했다", "Τα έσοδα",
    ],
)  # fmt: skip
def test_scripts(tmp_path: Path, text: str) -> None:
    (found,) = read_corpus(write(tmp_path / "a.pdf", text))
    # pypdf may set right-to-left runs in another order: the letters are all there
    assert sorted((found.text or "").replace(" ", "")) == sorted(text.replace(" ", ""))


def test_the_hash_is_of_the_content(tmp_path: Path) -> None:
    first = read_corpus(write(tmp_path / "1" / "a.pdf", "x", "y").parent)
    again = tmp_path / "2" / "a.PDF"
    write(again, "x", "y")
    assert read_corpus(again.parent).data_hash == first.data_hash
    changed = read_corpus(write(tmp_path / "3" / "a.pdf", "x", "z").parent)
    assert changed.data_hash != first.data_hash


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "the file is empty"),
        (b"<!DOCTYPE html><p>", "is no PDF: it begins with '<!DOCTYPE html><p>', not with %PDF-"),
        (pdf("x" * 500)[:700], "is cut short: its end is missing"),
        (pdf("x").replace(b"xref", b"yyyy"), "cannot be read as PDF: PdfReadError"),
        (b"%PDF-1.7\n%%EOF", "cannot be read as PDF"),
        (encrypted(pdf("x"), password="p"), "is encrypted and needs a password"),
    ],
)
def test_a_file_that_cannot_be_read_is_one_finding(tmp_path: Path, data: bytes, says: str) -> None:
    write(tmp_path / "good.pdf", "x")
    (tmp_path / "bad.pdf").write_bytes(data)
    corpus, problems = scan_corpus(tmp_path)
    (problem,) = problems
    assert problem.file == str(tmp_path / "bad.pdf")
    assert problem.message.startswith(says)
    assert pages_of(corpus) == {"good#p1": "x"}
    with pytest.raises(DataError, match=says[:20]):
        read_corpus(tmp_path)


def test_a_password_that_only_forbids_changes_is_no_hindrance(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(encrypted(pdf("open to all"), password=""))
    assert pages_of(read_corpus(tmp_path)) == {"a#p1": "open to all"}


@pytest.mark.parametrize(
    ("pages", "labels", "kind", "says"),
    [
        (("", "x", "", " ", ""), "", "no_text", "4 of 5 pages have no text: 1, 3-5; scanned?"),
        (("", "x"), "", "no_text", "1 of 2 pages has no text: 1; scanned?"),
        (("\ue001\ue002\ue003 a",), "", "no_text", "1 of 1 page has no text: 1"),
        ((), "", "no_page", "the file has no page"),
        (("x", b"BT /F 10 Tf (abc Tj ET"), "", "broken_page", "1 of 2 pages cannot be read, as page 2"),
        (("i", "ii", "1"), "0 << /S /r >> 2 << /S /D >>", "page_labels",
         "pages are counted from 1 in the file: page 1 is labelled 'i' in it"),
    ],
)  # fmt: skip
def test_what_is_told_of_a_file_that_can_be_read(
    tmp_path: Path, pages: tuple[str | bytes, ...], labels: str, kind: str, says: str
) -> None:
    write(tmp_path / "a.pdf", *pages, labels=labels)
    corpus, problems = scan_corpus(tmp_path)
    assert problems == []
    assert corpus.n_passages == len(pages)
    (note,) = corpus.notes
    assert note.kind == kind
    assert note.message.startswith(says)


def test_pages_without_text_exist_and_labels_are_kept(tmp_path: Path) -> None:
    write(tmp_path / "a.pdf", "", "x", labels="0 << /S /R >> 1 << /S /D /St 2 >>")
    first, second = read_corpus(tmp_path)
    assert (first.text, first.page, first.metadata) == ("", 1, {"page_label": "I"})
    assert (second.text, second.page, second.metadata) == ("x", 2, {})


def test_broken_labels_are_no_labels(tmp_path: Path) -> None:
    write(tmp_path / "a.pdf", "x", labels="0 7")
    (page,) = read_corpus(tmp_path)
    assert page.metadata == {}


def test_what_is_no_pdf_is_named_and_left(tmp_path: Path) -> None:
    write(tmp_path / "a.pdf", "x")
    for name in (".hidden.pdf", "._a.pdf", "d.txt", "c.txt", "b.txt", "e.txt"):
        (tmp_path / name).write_text("no PDF")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "back").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "link.pdf").symlink_to(tmp_path / "a.pdf")
    (tmp_path / "lost.pdf").symlink_to(tmp_path / "nothing")
    corpus, problems = scan_corpus(tmp_path)
    assert pages_of(corpus) == {"a#p1": "x", "link#p1": "x"}
    assert [p.message for p in problems] == ["cannot be read: No such file or directory"]
    (note,) = corpus.notes
    assert note.message.endswith('left out: "b.txt", "c.txt", "d.txt" and 2 more')


def test_two_files_of_one_id_are_refused(tmp_path: Path) -> None:
    write(tmp_path / "a.pdf", "x")
    write(tmp_path / "a.PDF", "y")
    _, problems = scan_corpus(tmp_path)
    (problem,) = problems
    assert problem.message == 'its document id "a" is that of a.PDF too; rename one of them'


def test_a_name_that_is_no_text_is_told(tmp_path: Path) -> None:
    write(tmp_path / "a\udcff.pdf", "x")
    _, problems = scan_corpus(tmp_path)
    assert "'a\\udcff.pdf': the name is not UTF-8; rename it" in str(problems[0])


@pytest.mark.parametrize("files", [(), ("readme.txt",)])
def test_a_folder_without_pdfs(tmp_path: Path, files: tuple[str, ...]) -> None:
    for name in files:
        (tmp_path / name).write_text("x")
    seen = '"readme.txt"' if files else "and no other file"
    with pytest.raises(DataError, match=f"holds no PDF, .*{seen}; --corpus takes JSONL, Parquet"):
        read_corpus(tmp_path)


@pytest.mark.parametrize(
    ("name", "doc_id"),
    [
        ("a.pdf", "a"),
        ("./x/B.PDF", "x/B"),
        ("x\\b.pdf", "x/b"),
        ("a.b", "a.b"),
        ("e\u0301.pdf", "é"),
    ],
)
def test_document_ids(name: str, doc_id: str) -> None:
    assert document_id(name) == doc_id


@pytest.mark.parametrize(
    ("came", "kept"),
    [
        ("a\x00b\x07c", "a\ufffdb\ufffdc"),
        ("\ud83d\ude00 \ud800", "😀 \ufffd"),
        ("one \r\ntwo\x0cthree\n", "one\ntwo\nthree"),
        ("ﬁnance soft\u00adhyphen", "ﬁnance soft\u00adhyphen"),
        ("\x01\x02\x03\x04 a", ""),
        (" \n ", ""),
    ],
)
def test_text_is_made_fit_for_json_and_no_more(came: str, kept: str) -> None:
    assert pdf_pages.clean(came) == kept


def test_without_pypdf_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "a.pdf", "x")
    real = builtins.__import__

    def absent(name: str, *rest: object, **named: object) -> object:
        if name.partition(".")[0] == "pypdf":
            raise ModuleNotFoundError(name)
        return real(name, *rest, **named)  # type: ignore[arg-type]

    for name in [name for name in sys.modules if name.partition(".")[0] == "pypdf"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", absent)
    pdf_pages._faults.cache_clear()
    with pytest.raises(MissingExtraError, match=r"pip install 'ragdiag-eval\[pdf\]'"):
        read_corpus(tmp_path)


def test_reading_grows_with_the_pages(tmp_path: Path) -> None:
    def work(pages: str) -> object:
        return sum(1 for _ in pdf_pages.read_pages(write(tmp_path / "a.pdf", *pages)))

    assert grows_linearly(work, "xyz." * 60)


AES = (
    b"/Encrypt << /Filter /Standard /V 5 /R 6 /Length 256 /P -1 /O <%s> /U <%s> /OE <%s> /UE <%s>"
    b" /Perms <%s> /StmF /StdCF /StrF /StdCF /CF << /StdCF << /CFM /AESV3 /Length 32 >> >> >>"
    b" /ID [<00> <00>] /Size"
) % (b"00" * 48, b"00" * 48, b"00" * 32, b"00" * 32, b"00" * 16)


def test_aes_is_one_finding_whatever_is_installed(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(pdf("x").replace(b"/Size", AES))
    _, problems = scan_corpus(tmp_path)
    assert [problem.kind for problem in problems] == ["encrypted_file"]
