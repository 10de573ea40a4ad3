// SPDX-License-Identifier: GPL-3.0-or-later
#include "beam.hpp"

#include <algorithm>
#include <utility>

#include "machine.hpp"
#include "ports.hpp"
#include "video.hpp"

namespace oakemu {
namespace {

constexpr std::size_t kAttributes = 0x1800;
constexpr std::uint32_t kLinesAbove = BeamPicture::kTop;
constexpr std::uint32_t kChunksLeft = BeamPicture::kLeft / 8;
constexpr std::uint32_t kCells = 32;  // in a line of the display

/// T from the top left pixel's cell, in Fuse's count, to the fetch of its bitmap; the floating bus is known by the latter.
constexpr std::uint32_t kFetchAfterOrigin = 2;
/// T from a cell's origin to the latching of its border. A port is written at T2, so that an OUT cycle must begin a T earlier. With the
/// contention at 14335 this is where kosarev's screen timing test and Fuse agree; that test counts T from one later.
constexpr std::uint32_t kLatchAfterOrigin = 3;

std::size_t bitmap_row(std::uint32_t line) { return (line & 0xC0U) << 5U | (line & 7U) << 8U | (line & 0x38U) << 2U; }

std::size_t attribute_row(std::uint32_t line) { return kAttributes + 32 * (line >> 3U); }

}  // namespace

std::uint32_t BeamPicture::fetch_time(std::uint32_t fetch) const {
    const std::uint32_t line = fetch / kFetchesPerLine, in_line = fetch % kFetchesPerLine;
    return clock_->timings.floating + clock_->late + line * clock_->timings.line + in_line / 4 * 8 + in_line % 4;
}

/// When the border of 8 pixels is latched: the 24 T of border to the left of a line come before the line.
std::uint32_t BeamPicture::latch_time(std::uint32_t chunk) const {
    const std::uint32_t top_left = clock_->timings.floating - kFetchAfterOrigin + clock_->late;
    const std::uint32_t first = top_left - kLinesAbove * clock_->timings.line - 4 * kChunksLeft;
    return first + chunk / kChunksPerRow * clock_->timings.line + chunk % kChunksPerRow * 4 + kLatchAfterOrigin;
}

void BeamPicture::draw_cell(std::uint32_t line, std::uint32_t column, std::uint8_t attribute) {
    const unsigned bright = (attribute & 0x40U) >> 3U;
    auto ink = static_cast<std::uint8_t>(bright | (attribute & 7U));
    auto paper = static_cast<std::uint8_t>(bright | ((attribute >> 3U) & 7U));
    if (swapped_ && (attribute & 0x80U) != 0) {
        std::swap(ink, paper);
    }
    std::uint8_t* out = colours_.data() + (kTop + line) * kWidth + kLeft + 8 * column;
    for (std::uint32_t pixel = 0; pixel < 8; ++pixel) {
        out[pixel] = (bitmap_ & (0x80U >> pixel)) != 0 ? ink : paper;
    }
}

/// What the ULA fetches before `t`.
void BeamPicture::fetch_until(const Machine& machine, std::uint32_t t) {
    const std::uint8_t* display = machine.ram.data() + screen_;
    for (; next_fetch_ < kFetches && fetch_time(next_fetch_) < t; ++next_fetch_) {
        const std::uint32_t line = next_fetch_ / kFetchesPerLine;
        const std::uint32_t column = next_fetch_ % kFetchesPerLine / 2;
        if (next_fetch_ % 2 == 0) {
            bitmap_ = display[bitmap_row(line) + column];
        } else {
            draw_cell(line, column, display[attribute_row(line) + column]);
        }
    }
}

/// The border as latched before `t`.
void BeamPicture::latch_until(std::uint32_t t) {
    while (next_chunk_ < kChunks && latch_time(next_chunk_) < t) {
        const std::uint32_t row = next_chunk_ / kChunksPerRow, column = next_chunk_ % kChunksPerRow;
        const bool is_beside_display = row >= kLinesAbove && row < kLinesAbove + Timings::kPictureLines;
        if (is_beside_display && column == kChunksLeft) {
            next_chunk_ += kCells;
            continue;
        }
        std::fill_n(colours_.data() + 8 * next_chunk_, 8, border_);
        ++next_chunk_;
    }
}

void BeamPicture::run_begins(const Machine& machine, std::uint32_t /*t*/) {
    clock_ = &ula_clock(machine.state.model, machine.state.late != 0);
    screen_ = screen_place(machine.state);
    border_ = machine.state.border & 7U;
    swapped_ = flash_swapped(machine);
    next_fetch_ = next_chunk_ = 0;
}

void BeamPicture::display_write(const Machine& machine, std::uint32_t t, std::size_t place) {
    if (place / kBankSize == screen_ / kBankSize) {
        fetch_until(machine, t);
    }
}

void BeamPicture::port_written(const Machine& machine, std::uint32_t t, std::uint16_t port, std::uint8_t value) {
    const State& state = machine.state;
    if (ports::is_ula(port) && (value & 7U) != border_) {
        latch_until(t);
        border_ = value & 7U;
    }
    if (has_paging(state.model) && ports::is_paging(port) && (state.port_7ffd & kPagingLock) == 0) {
        fetch_until(machine, t);
        screen_ = kBankPlace[(value & kPagingScreen) != 0 ? 7 : 5];
    }
}

/// A read of the paging port of a 128K machine lets its latch take what is on the bus.
std::uint8_t BeamPicture::port_read(const Machine& machine, std::uint32_t t, std::uint16_t /*port*/, std::uint8_t value) {
    if (screen_place(machine.state) != screen_) {
        fetch_until(machine, t);
        screen_ = screen_place(machine.state);
    }
    return value;
}

void BeamPicture::frame_ends(const Machine& machine, std::uint32_t /*t*/) {
    fetch_until(machine, UINT32_MAX);
    latch_until(UINT32_MAX);
}

void BeamPicture::draw_rgb(std::uint8_t* out) const {
    for (const std::uint8_t colour : colours_) {
        const std::uint32_t rgb = kPalette[colour];
        out[0] = static_cast<std::uint8_t>(rgb >> 16U);
        out[1] = static_cast<std::uint8_t>(rgb >> 8U);
        out[2] = static_cast<std::uint8_t>(rgb);
        out += 3;
    }
}

}  // namespace oakemu
