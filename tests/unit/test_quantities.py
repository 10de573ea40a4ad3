# SPDX-License-Identifier: GPL-3.0-or-later
import pytest

from oakemu_rl.quantities import (
    format_count,
    format_duration,
    format_size,
    parse_count,
    parse_duration,
    parse_size,
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("200", 200),
        ("200_000", 200_000),
        ("200k", 200_000),
        ("2.5M", 2_500_000),
        ("1e6", 1_000_000),
        ("-5", -5),
        (1e3, 1000),
    ],
)
def test_counts_as_people_write_them(text: object, value: int) -> None:
    assert parse_count(text) == value
    assert isinstance(parse_count(text), int)


@pytest.mark.parametrize("text", ["x", "", "1.5", "1k k", "5 apples", "0x10", "1e-3", "k"])
def test_what_is_no_count_is_refused_with_what_was_given(text: str) -> None:
    with pytest.raises(ValueError, match="whole number") as caught:
        parse_count(text)
    assert repr(text) in str(caught.value)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("60", 60),
        ("90s", 90),
        ("5m", 300),
        ("5min", 300),
        ("1h", 3600),
        ("1h30m", 5400),
        ("1h 2m 3s", 3723),
        ("0.5h", 1800),
        ("-5", -5),
        (7, 7),
    ],
)
def test_durations_as_people_write_them(text: object, seconds: float) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["5x", "", "m", "1:30", "five", "5m!"])
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="1h30m"):
        parse_duration(text)


def test_formats_are_short() -> None:
    assert [format_count(n) for n in (950, 12_340, 1_500_000)] == ["950", "12.3k", "1.50M"]
    assert [format_duration(s) for s in (42.4, 307, 3723)] == ["0:42", "5:07", "1:02:03"]


@pytest.mark.parametrize(
    ("text", "size"),
    [("500MB", 500_000_000), ("2G", 2 * 10**9), ("1.5 GiB", 3 * 2**29), ("64k", 64_000), ("7", 7), (7.0, 7), (7, 7)],
)
def test_sizes_as_people_write_them(text: object, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "MB", "5 apples", "-1MB", "1e6", "5Mi5"])
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="500MB"):
        parse_size(text)


def test_sizes_are_short() -> None:
    sizes = (0, 999, 1_000, 12_345, 999_949, 999_951, 1_500_000, 2_500_000_000)
    shown = ["0 B", "999 B", "1.0 kB", "12.3 kB", "999.9 kB", "1.0 MB", "1.5 MB", "2.50 GB"]
    assert [format_size(size) for size in sizes] == shown
