"""The base of all records: frozen, strict about unknown keys where ragdiag itself writes them."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """A frozen value. Change one by `model_copy(update=...)`."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="null")
