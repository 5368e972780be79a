"""Is a stock ticker the ticker of a company? By its letters, and a table of the irregular ones.

Most tickers take their letters from the name in order: MSFT from Microsoft, NVDA from NVIDIA.
"""

from __future__ import annotations

from ragdiag.text.renamings import renamed

_IRREGULAR = {
    "aig": "american international", "axp": "american express", "ba": "boeing",
    "bac": "bank of america", "bk": "bank of new york", "brk": "berkshire", "c": "citigroup",
    "ce": "celanese", "cat": "caterpillar", "cb": "chubb", "cvx": "chevron", "de": "deere",
    "dis": "walt disney", "dow": "dow", "el": "estee lauder", "f": "ford", "fb": "meta",
    "ge": "general electric", "gm": "general motors", "gs": "goldman sachs", "hd": "home depot",
    "hog": "harley", "hpq": "hp", "ibm": "ibm", "k": "kellogg", "ko": "coca cola", "l": "loews",
    "lmt": "lockheed martin", "luv": "southwest", "m": "macy", "ma": "mastercard", "mmm": "3m",
    "mo": "altria", "ms": "morgan stanley", "o": "realty income", "or": "loreal", "pg": "procter",
    "pm": "philip morris", "ph": "parker", "rtx": "raytheon", "sap": "sap", "sq": "block",
    "ston": "stoneco", "t": "at t", "ups": "united parcel", "v": "visa", "vz": "verizon",
    "wba": "walgreens", "x": "united states steel", "xom": "exxon", "xyz": "block", "gps": "gap",
    "bud": "anheuser", "cake": "cheesecake", "czr": "caesars", "eat": "brinker",
    "fun": "cedar fair", "nov": "national oilwell", "pnc": "pnc", "slb": "schlumberger",
    "ci": "cigna", "cl": "colgate", "cmcsa": "comcast", "crm": "salesforce", "dd": "dupont",
    "ed": "consolidated edison", "glw": "corning", "gis": "general mills",
    "goog": "alphabet", "googl": "alphabet",
    "baba": "alibaba", "bx": "blackstone", "kr": "kroger", "lh": "labcorp", "mu": "micron",
    "now": "servicenow", "sbux": "starbucks", "sny": "sanofi", "ul": "unilever", "vod": "vodafone",
    "wy": "weyerhaeuser", "zm": "zoom",
    "so": "southern", "spg": "simon", "yum": "yum", "ttm": "tata motors", "tm": "toyota",
}  # fmt: skip


def looks_like_ticker(name: str) -> bool:
    """One word of one to five capital letters, perhaps with a class ("BRK.B")?"""
    word, dot, part = name.strip().partition(".")
    letters = word.isascii() and word.isalpha() and word.isupper() and len(word) <= 5
    return letters and (not dot or (len(part) == 1 and part.isalpha()))


def is_ticker_of(ticker: str, words: tuple[str, ...]) -> bool:
    """Is it the ticker of the company with these words (lower case, without legal forms)?

    A ticker of the table is its company's alone. A doubled letter counts once (AAPL, Apple); two
    letters or fewer are only read by the table or as initials.
    """
    small = ticker.strip().lower().partition(".")[0]
    known = _IRREGULAR.get(small)
    if known is not None:
        joined = " ".join(words)
        alike = joined.startswith(known) or known.startswith(joined)
        return alike or renamed(tuple(known.split()), words)
    if len(small) < 3 or not words:
        return small == "".join(word[0] for word in words)
    single = [char for at, char in enumerate(small) if at == 0 or char != small[at - 1]]
    return words[0][0] == small[0] and _dealt("".join(single), words)


def _dealt(letters: str, words: tuple[str, ...]) -> bool:
    """Do the letters stand in order in the words, each word that is used by its first letter?

    The last letter may be that of the legal form: INTC, Intel Corporation.
    """
    ends = {0}  # how many letters the words so far may have taken
    for word in words:
        now: set[int] = set()
        for taken in ends:
            if taken < len(letters) and letters[taken] == word[0]:
                now.update(range(taken + 1, taken + 1 + _in_order(letters[taken:], word)))
        if any(end == len(letters) or letters[end:] == "c" for end in now):
            return True
        ends = now
    return False


def _in_order(letters: str, word: str) -> int:
    """How many of the letters, from the first, stand in the word in this order."""
    rest = iter(word)
    return next((at for at, char in enumerate(letters) if char not in rest), len(letters))
