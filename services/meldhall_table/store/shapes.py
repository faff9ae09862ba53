"""Frozen dataclasses as plain lists and back, driven by their type hints.

A codec is made once for a type and all that it reaches. A dataclass becomes the list of its fields in order,
a tuple a list, an enum its value, bytes hexadecimal text, a union of dataclasses its number and the value. No
name of a field or a class is in the data: what it means is in ``Codec.shape``, the text of the type, and data
are read only by code of the same shape. Reading is strict: whatever is not exactly what the type says is
refused, with the place where it stands.
"""

import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from operator import attrgetter
from typing import Any, Final, Union, get_args, get_origin, get_type_hints

from meldhall_table.store.sharing import shared

Convert = Callable[[Any], Any]


class ShapeError(ValueError):
    """Data that are not of the shape."""


@dataclass(frozen=True, slots=True)
class Codec:
    """How a type is written and read.

    ``encode`` is None where the value itself is what JSON writes. ``shape`` describes the type and, for a
    dataclass, everything that it reaches. Of ``small`` values, single ones and dataclasses of those, one
    object stands for all equal ones that are read.
    """

    shape: str
    encode: Convert | None
    decode: Convert
    small: bool = False

    def write(self, value: Any) -> Any:
        """Return a value as JSON can write it."""
        return value if self.encode is None else self.encode(value)


Overrides = Mapping[tuple[type, str], Any]
"""Types of fields that are declared as ``Any``: by class and field."""


def codec_of(root: type, overrides: Overrides | None = None) -> Codec:
    """Make the codec of a dataclass.

    Args:
        root: a dataclass; it must not reach itself.
        overrides: what fields declared as ``Any`` hold.

    Raises:
        TypeError: something that it reaches is of a kind that has no codec.
    """
    return _Compiler(overrides or {}).codec(root)


_PLAIN: Final = (bool, int, str)


class _Compiler:
    def __init__(self, overrides: Overrides) -> None:
        self._overrides = overrides
        self._known: dict[Any, Codec] = {}

    def codec(self, hint: Any) -> Codec:
        if hint not in self._known:
            self._known[hint] = self._make(hint)
        return self._known[hint]

    def _make(self, hint: Any) -> Codec:
        origin, args = get_origin(hint), get_args(hint)
        if hint in _PLAIN:
            return _plain(hint)
        if hint is bytes:
            return Codec("bytes", bytes.hex, _read_bytes)
        if origin is tuple:
            return self._tuple(args)
        if origin is frozenset:
            return self._frozenset(self.codec(args[0]))
        if origin is dict:
            return self._dict(self.codec(args[0]), self.codec(args[1]))
        if origin in (Union, types.UnionType):
            return self._union(args)
        if isinstance(hint, type) and issubclass(hint, Enum):
            return _enum(hint)
        if isinstance(hint, type) and is_dataclass(hint):
            return self._dataclass(hint)
        raise TypeError(f"there is no codec for {hint}")

    def _tuple(self, args: tuple[Any, ...]) -> Codec:
        if args[-1] is not Ellipsis:
            return _row("tuple", [self.codec(arg) for arg in args], tuple, tuple)
        one = self.codec(args[0])
        shape, encode, decode = f"tuple[{one.shape}, ...]", one.encode, one.decode
        if args[0] in _PLAIN:
            return Codec(shape, None, _plains(args[0]))
        return Codec(
            shape,
            None if encode is None else lambda value: [encode(item) for item in value],
            lambda data: tuple([decode(item) for item in _list(data)]),
        )

    def _frozenset(self, one: Codec) -> Codec:
        # Sorted, because the order of a set is that of hashes.
        return Codec(
            f"frozenset[{one.shape}]",
            lambda value: sorted(map(one.write, value)),
            lambda data: frozenset(one.decode(item) for item in _list(data)),
            one.small,
        )

    def _dict(self, key: Codec, value: Codec) -> Codec:
        pair = _row("tuple", [key, value], tuple, tuple)
        return Codec(
            f"dict[{key.shape}, {value.shape}]",
            lambda mapping: [pair.write(item) for item in mapping.items()],
            lambda data: dict(pair.decode(item) for item in _list(data)),
        )

    def _union(self, args: tuple[Any, ...]) -> Codec:
        rest = tuple(arg for arg in args if arg is not types.NoneType)
        if len(rest) < len(args):
            return _optional(self.codec(rest[0]) if len(rest) == 1 else self._choice(rest))
        return self._choice(rest)

    def _choice(self, classes: tuple[Any, ...]) -> Codec:
        if not all(isinstance(one, type) and is_dataclass(one) for one in classes):
            raise TypeError(f"there is no codec for a union of {classes}: not dataclasses all")
        codecs = [self.codec(one) for one in classes]
        number = {one: at for at, one in enumerate(classes)}

        def encode(value: Any) -> Any:
            at = number[type(value)]
            return [at, codecs[at].write(value)]

        def decode(data: Any) -> Any:
            at, inner = _list(data, 2)
            if type(at) is not int or not 0 <= at < len(codecs):
                raise ShapeError(f"one of {len(codecs)} has no number {at!r:.40}")
            return codecs[at].decode(inner)

        return Codec(f"({' | '.join(codec.shape for codec in codecs)})", encode, decode)

    def _dataclass(self, cls: type) -> Codec:
        hints = get_type_hints(cls)
        names = [one.name for one in fields(cls)]
        kinds = [self._overrides.get((cls, name), hints[name]) for name in names]
        codecs = [self.codec(kind) for kind in kinds]
        inner = ", ".join(f"{name}: {codec.shape}" for name, codec in zip(names, codecs, strict=True))
        label = f"{cls.__module__}.{cls.__qualname__}"
        keyword = any(one.kw_only for one in fields(cls))
        make = _by_keyword(cls, names) if keyword else lambda values: cls(*values)
        row = _row(label, codecs, _getter(names), make)
        small = all(codec.small for codec in codecs)
        decode = _sharing(row.decode) if small else row.decode
        return Codec(f"{label}({inner})", row.encode, decode, small)


def _sharing(decode: Convert) -> Convert:
    return lambda data: shared(decode(data))


def _getter(names: list[str]) -> Convert:
    if len(names) == 1:
        only = attrgetter(names[0])
        return lambda value: (only(value),)
    return attrgetter(*names)


def _by_keyword(cls: type, names: list[str]) -> Convert:
    return lambda values: cls(**dict(zip(names, values, strict=True)))


def _row(label: str, codecs: list[Codec], take: Convert, make: Convert) -> Codec:
    """Make the codec of several values in a fixed order."""
    count = len(codecs)
    readers = [codec.decode for codec in codecs]
    writers = [(at, codec.encode) for at, codec in enumerate(codecs) if codec.encode is not None]

    def encode(value: Any) -> Any:
        row = list(take(value))
        for at, write in writers:
            row[at] = write(row[at])
        return row

    def decode(data: Any) -> Any:
        row = _list(data, count)
        try:
            return make([read(item) for read, item in zip(readers, row, strict=True)])
        except ShapeError as error:
            raise ShapeError(f"{label}: {error}") from None
        except ValueError as error:
            raise ShapeError(f"{label}: {error}") from error

    shape = f"{label}[{', '.join(codec.shape for codec in codecs)}]"
    return Codec(shape, encode if writers else take, decode)


def _optional(one: Codec) -> Codec:
    encode, decode = one.encode, one.decode
    return Codec(
        f"({one.shape} | None)",
        None if encode is None else lambda value: None if value is None else encode(value),
        lambda data: None if data is None else decode(data),
        one.small,
    )


def _plain(kind: type) -> Codec:
    def decode(data: Any) -> Any:
        # Exactly: True is an int to isinstance, and 1 is no bool.
        if type(data) is not kind:
            raise ShapeError(f"a {type(data).__name__}, not a {kind.__name__}")
        return data

    return Codec(kind.__name__, None, decode, small=True)


def _plains(kind: type) -> Convert:
    wanted = {kind}

    def decode(data: Any) -> Any:
        if not set(map(type, _list(data))) <= wanted:
            raise ShapeError(f"not only values of type {kind.__name__}")
        return tuple(data)

    return decode


def _enum(cls: type[Enum]) -> Codec:
    members = {member.value: member for member in cls}
    inner = ", ".join(f"{member.name}={member.value!r}" for member in cls)

    def decode(data: Any) -> Any:
        member = members.get(data) if isinstance(data, int | str) else None
        if member is None or type(data) is not type(member.value):
            raise ShapeError(f"{cls.__name__} has no {data!r:.40}")
        return member

    return Codec(f"{cls.__module__}.{cls.__qualname__}<{inner}>", attrgetter("value"), decode, small=True)


def _read_bytes(data: Any) -> bytes:
    if not isinstance(data, str):
        raise ShapeError(f"a {type(data).__name__}, not bytes as text")
    try:
        return bytes.fromhex(data)
    except ValueError as error:
        raise ShapeError("not hexadecimal text") from error


def _list(data: Any, count: int | None = None) -> list[Any]:
    if type(data) is not list:
        raise ShapeError(f"a {type(data).__name__}, not a list")
    if count is not None and len(data) != count:
        raise ShapeError(f"{len(data)} values, not {count}")
    return data
