"""A small BM25 for tests over real text: k1 0.9, b 0.4, words as they stand in lower case."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

K1, B = 0.9, 0.4


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def ranked(
    passages: Mapping[str, str], queries: Mapping[str, str], *, k: int = 20
) -> Iterator[tuple[str, list[tuple[str, float]]]]:
    """(query_id, [(passage_id, score), …] best first)."""
    counts = {key: Counter(_words(text)) for key, text in passages.items()}
    lengths = {key: found.total() for key, found in counts.items()}
    mean = sum(lengths.values()) / len(lengths)
    holds: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for key, found in counts.items():
        for word, n in found.items():
            holds[word].append((key, n))
    for query_id, text in queries.items():
        scores: Counter[str] = Counter()
        for word in sorted(set(_words(text))):
            n = len(holds[word])
            idf = math.log(1 + (len(passages) - n + 0.5) / (n + 0.5))
            for key, count in holds[word]:
                norm = K1 * (1 - B + B * lengths[key] / mean)
                scores[key] += idf * count * (K1 + 1) / (count + norm)
        yield query_id, scores.most_common(k)


def run_csv(passages: Mapping[str, str], queries: Mapping[str, str], *, k: int = 20) -> str:
    """The same as a tab-separated run with a header."""
    rows = [
        f"{query_id}\t{key}\t{score}\n"
        for query_id, found in ranked(passages, queries, k=k)
        for key, score in found
    ]
    return "query_id\tpassage_id\tscore\n" + "".join(rows)
