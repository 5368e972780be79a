"""A property that is worked out when it is first asked for, and then kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

Found = TypeVar("Found")


class once(Generic[Found]):  # noqa: N801 - reads as `property` does
    """As functools.cached_property, whose lock in Python 3.11 is one for all objects.

    An object is then for one thread at a time, and threads with objects of their own do not wait.
    """

    def __init__(self, work_out: Callable[[Any], Found]) -> None:
        self._work_out = work_out
        self.__doc__ = work_out.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, kept_in: None, owner: type) -> once[Found]: ...

    @overload
    def __get__(self, kept_in: object, owner: type) -> Found: ...

    def __get__(self, kept_in: object | None, owner: type) -> Found | once[Found]:
        if kept_in is None:
            return self
        # Stands before this descriptor from now on, which has no __set__.
        found = kept_in.__dict__[self._name] = self._work_out(kept_in)
        return found
