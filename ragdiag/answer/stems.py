"""English words without the endings of plurals and verbs, roughly: "opens", "opened", "open"."""

from __future__ import annotations

from ragdiag.text.word_sets import word_set

_FORMS = word_set(
    "rose=rise risen=rise fell=fall fallen=fall grew=grow grown=grow won=win lost=lose bought=buy "
    "sold=sell paid=pay made=make met=meet held=hold left=leave began=begin begun=begin ran=run "
    "wrote=write written=write went=go gone=go came=come became=become gave=give given=give "
    "got=get took=take taken=take saw=see seen=see said=say told=tell built=build spent=spend "
    "kept=keep led=lead taught=teach beaten=beat sang=sing sung=sing drew=draw drawn=draw "
    "knew=know "
    "known=know chose=choose chosen=choose found=find lent=lend",
    " ",
)
_IRREGULAR: dict[str, str] = {form.split("=")[0]: form.split("=")[1] for form in _FORMS}
_ENDINGS = ("ing", "ed", "es", "s", "e")


def stem(word: str) -> str:
    """A folded word without its ending; irregular verbs by a short list."""
    word = _IRREGULAR.get(word, word)
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            return word[: -len(ending)]
    return word
