"""What stands around brackets that are no citations: intervals, indices, pages, patterns."""

from __future__ import annotations

import re

INTERVAL = re.compile(
    r"(?:\bCI|\binterval|\brange|\bbounds?|\bbetween|\bvalues?|\barray|\blist|\bvector|\btuple|"
    r"\bset|\bindex|\bin the|[=∈(×*+])\s*(?:of|is|are|was|:)?\s*\Z",
    re.IGNORECASE,
)
THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+")
COUNTS = re.compile(
    r"\s?(?:euros?|dollars?|pounds|percent|per cent|million|billion|thousand|years|days|hours|km"
    r"|kg|miles|people)\b"
)
REPEATED = re.compile(r"[+{]\S")
PAGES = re.compile(
    r"\b(?:pages?|pp?\.|lines?|chapters?|years?|ages?|aged|verses?|rows?|columns?|figures?|tables?"
    r"|equations?|eqs?\.|scored?)\s*\Z",
    re.IGNORECASE,
)
INDEXED = re.compile(
    r"(?:(?<![\w])[A-Za-z]|\w*_\w*|\b(?:arr|array|list|args|argv|data|row|rows|vec|df|xs|items|"
    r"dict|obj|[a-z]+[A-Z]\w*))\Z"
)
ASSIGNED = re.compile(r"=\s*\w+\Z")
