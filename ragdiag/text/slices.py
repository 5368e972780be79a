"""The slices of a sample: as given, and hops, modality and answerable derived where absent."""

from __future__ import annotations

from ragdiag.records import Sample


def derived_slices(sample: Sample) -> dict[str, str]:
    """hops = size of the largest gold set; modality = kinds of gold objects ("table-3": table),
    text where a gold item names no object; answerable = as stated. Given values stay."""
    found = dict(sample.slices)
    if sample.gold:
        found.setdefault("hops", str(max(len(items) for items in sample.gold)))
        kinds = {
            (item.object_id or "text").rstrip("0123456789").rstrip("-_ #.:")
            for items in sample.gold
            for item in items
        }
        found.setdefault("modality", "+".join(sorted(kind or "object" for kind in kinds)))
    if sample.answerable is not None:
        found.setdefault("answerable", "true" if sample.answerable else "false")
    return found
