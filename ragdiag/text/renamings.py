"""Names of one company that share no word: well-known renamings, and a parent known by its brand.

General knowledge, not read from any data; what it lacks only leaves two names apart. A company and
a subsidiary that reports by itself are no such names.
"""

from __future__ import annotations

# Words in small letters, without legal forms, "of" and "international".
_SAME = (
    ("alphabet", "google"), ("meta platforms", "meta", "facebook"), ("block", "square"),
    ("booking", "priceline"), ("rtx", "raytheon technologies", "united technologies"),
    ("stellantis", "fiat chrysler"), ("warner bros discovery", "discovery communications"),
    ("paramount", "viacomcbs"), ("qurate", "liberty interactive"), ("aptiv", "delphi automotive"),
    ("ww", "weight watchers"), ("tapestry", "coach"), ("capri", "michael kors"),
    ("truist", "bb t"), ("lumen", "centurylink"), ("elevance health", "anthem", "wellpoint"),
    ("viatris", "mylan"), ("gsk", "glaxosmithkline"), ("bausch health", "valeant"),
    ("x", "twitter"), ("equinor", "statoil"), ("totalenergies", "total"),
    ("bp", "british petroleum"), ("orsted", "dong energy"), ("engie", "gdf suez"),
    ("orange", "france telecom"), ("kering", "ppr"), ("ageas", "fortis"),
    ("hp", "hewlett packard"), ("ibm", "business machines"), ("3m", "mmm"),
    ("ups", "united parcel service"), ("amex", "american express"), ("bofa", "bank america"),
    ("fedex", "federal express"), ("exxonmobil", "exxon"), ("vw", "volkswagen"),
    ("bmw", "bayerische motoren werke"), ("panasonic", "matsushita"), ("toyota", "トヨタ"),
    ("softbank", "ソフトバンク"), ("nintendo", "任天堂"), ("hitachi", "日立"), ("honda", "本田"),
    ("samsung", "삼성"), ("alibaba", "阿里巴巴"), ("tencent", "腾讯", "騰訊"), ("huawei", "华为"),
    ("byd", "比亚迪"), ("baidu", "百度"), ("gazprom", "газпром"), ("rosneft", "роснефть"),
    ("lukoil", "лукойл"), ("sberbank", "сбербанк", "сбер"),
)  # fmt: skip
_GROUP = {name: at for at, names in enumerate(_SAME) for name in names}


def renamed(left: tuple[str, ...], right: tuple[str, ...]) -> bool:
    """Are two names, as words without legal forms and in small letters, of one company?"""
    one = _GROUP.get(" ".join(left))
    return one is not None and one == _GROUP.get(" ".join(right))
