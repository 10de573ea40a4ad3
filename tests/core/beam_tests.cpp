// SPDX-License-Identifier: GPL-3.0-or-later
// The picture as the beam draws it, against T computed by hand. On an early 48K machine the top left pixel's cell begins at T 14336 (Fuse),
// a line is 224 T and 8 pixels are 4 T; the border of 8 pixels is latched 3 T after their origin, and an OUT takes effect at its T2; the
// bytes of the first two cells are fetched at 14338 to 14341, those of the next two 8 T later.
#include "beam.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "check.hpp"
#include "test_machine.hpp"
#include "video.hpp"

using oakemu::BeamPicture;
using oakemu::Model;
using oakemu::Timing;

namespace {

constexpr std::size_t kBitmap = 0, kAttributes = 0x1800, kBank7 = 7 * 16384;

/// A machine with a picture, whose program begins at 0x8000 at a chosen T and ends with DI; HALT.
struct Watched {
    TestMachine test;
    std::unique_ptr<BeamPicture> picture = std::make_unique<BeamPicture>();

    explicit Watched(Model model = Model::spectrum48) : test(model) {
        test.state->border = 0;
        std::fill_n(test.machine.ram.begin() + kAttributes, 768, std::uint8_t{0x38});
    }

    /// Runs to the end of the frame from an instruction that begins at `t`.
    void run(std::uint32_t t, std::initializer_list<std::uint8_t> program) {
        test.state->t = t;
        test.cpu().pc = 0x8000;
        test.cpu().halted = 0;
        test.place(0x8000, program);
        test.place(static_cast<std::uint16_t>(0x8000 + program.size()), {0xF3, 0x76});
        run_frame_probed(test.machine, test.setup(), *picture);
    }

    /// OUT (0xFE),A at `t`: its I/O cycle begins at t + 7 and its T2 at t + 8.
    void out_border(std::uint32_t t, std::uint8_t colour) {
        test.state->border = 0;
        test.set_a(colour);
        run(t, {0xD3, 0xFE});
    }

    /// LD (HL),A at `t`: its write cycle begins at t + 4 and ends at t + 7.
    void write(std::uint32_t t, std::uint16_t address, std::uint8_t value) {
        test.set_a(value);
        test.cpu().hl = address;
        run(t, {0x77});
    }

    /// Column and line may lie in the border: -32 to 287, -24 to 215.
    int at(int x, int y) const {
        return picture->colours()[static_cast<std::size_t>(y + 24) * BeamPicture::kWidth + static_cast<std::size_t>(x + 32)];
    }

    /// The pixels of one colour.
    std::ptrdiff_t count(int colour) const { return std::count(picture->colours().begin(), picture->colours().end(), colour); }
};

void an_out_changes_the_border_from_the_next_latch_on(Check& check) {
    // Line -10 begins at T 14336 - 10 * 224 = 12096; its column 0 is latched at 12099, column 8 at 12103.
    constexpr struct {
        std::uint32_t t;
        int first;
    } cases[] = {{12088, 0}, {12091, 0}, {12092, 8}, {12095, 8}, {12096, 16}, {12155, 128}, {12156, 136}};
    for (const auto& [t, first] : cases) {
        Watched watched;
        watched.out_border(t, 5);
        check.equal(watched.at(first - 1, -10), 0, "pixel before the change");
        check.equal(watched.at(first, -10), 5, "first pixel of the change");
        check.equal(watched.at(287, -10), 5, "end of the line");
        check.equal(watched.at(287, -11), 0, "end of the line before");
        check.equal(watched.at(-32, -9), 5, "begin of the line after");
    }
}

void the_border_at_the_left_belongs_to_the_line_before(Check& check) {
    // The first pixels of the picture: line -24, column -32, latched at 14336 - 24 * 224 - 16 + 3 = 8947.
    Watched watched;
    watched.out_border(8939, 2);
    check.equal(watched.count(0), 0, "pixels of the old border");
    watched.out_border(8940, 2);
    check.equal(watched.count(0), 8, "pixels of the old border");
    check.equal(watched.at(-25, -24), 0, "pixel of the old border");
    // The last ones: line 215, column 280, latched at 14336 + 215 * 224 + 140 + 3 = 62639.
    watched.out_border(62631, 2);
    check.equal(watched.count(2), 8, "pixels of the new border");
    check.equal(watched.at(280, 215), 2, "pixel of the new border");
    watched.out_border(62632, 2);
    check.equal(watched.count(2), 0, "pixels of the new border");
    // From the right end of line 99, column 280 (latched at 36655) to the left end of line 100, column -32 (36723), nothing is seen.
    for (const std::uint32_t t : {36648U, 36680U, 36715U}) {
        watched.out_border(t, 2);
        check.equal(watched.at(287, 99), 0, "right end of line 99");
        check.equal(watched.at(-32, 100), 2, "left end of line 100");
    }
}

void stripes(Check& check) {
    // OUT (0xFE),A (11); INC A (4); NOP (4); JP (10): a change every 29 T, the first at T2 = 1000 + 8.
    Watched watched;
    watched.test.set_a(0);
    watched.run(1000, {0xD3, 0xFE, 0x3C, 0x00, 0xC3, 0x00, 0x80});
    // Above the display no OUT waits.
    int wrong = 0;
    for (int y = -24; y < 0; ++y) {
        for (int x = -32; x < 288; ++x) {
            const int latched = 14336 + 224 * y + (x + 32) / 8 * 4 - 16 + 3;
            wrong += watched.at(x, y) != (latched - 1008) / 29 % 8 ? 1 : 0;
        }
    }
    check.equal(wrong, 0, "wrong pixels of the border");
    check.equal(watched.at(0, -24), (14336 - 24 * 224 + 3 - 1008) / 29 % 8, "a stripe");
}

void late_machines_and_the_128k(Check& check) {
    Watched late;
    late.test.state->late = 1;
    late.out_border(12092, 5);
    check.equal(late.at(-1, -10), 0, "late: pixel before the change");
    check.equal(late.at(0, -10), 5, "late: first pixel");
    late.out_border(12093, 5);
    check.equal(late.at(7, -10), 0, "late: a T later");
    // 128K: the top left pixel's cell begins at 14362, a line is 228 T: line -10 at 12082.
    Watched big(Model::spectrum128);
    big.out_border(12077, 5);
    check.equal(big.at(-1, -10), 0, "128K: pixel before the change");
    check.equal(big.at(0, -10), 5, "128K: first pixel");
    big.out_border(12078, 5);
    check.equal(big.at(7, -10), 0, "128K: a T later");
    check.equal(big.at(8, -10), 5, "128K: a T later");
}

void an_out_that_waits_has_reached_the_border_before_its_wait(Check& check) {
    // T2 at 14335 is the first T at which the ULA stops the CPU's clock, with IORQ and WR low already. Column -8 of line 0 is latched then.
    Watched watched;
    watched.out_border(14327, 5);
    check.equal(watched.at(-9, 0), 0, "column -16");
    check.equal(watched.at(-8, 0), 5, "column -8");
    watched.out_border(14328, 5);
    check.equal(watched.at(-1, 0), 0, "column -8, a T later");
    check.equal(watched.at(256, 0), 5, "column 256, a T later");
}

/// Where in the first lines a write of 0xFF to a byte of the bitmap is seen; the others are 0.
bool is_seen(Timing timing, std::uint32_t t, std::uint16_t address, int x, int y) {
    Watched watched;
    watched.test.timing = timing;
    watched.write(t, address, 0xFF);
    return watched.at(x, y) == 0;  // black ink on white paper
}

void a_write_is_seen_if_it_ends_before_the_fetch(Check& check) {
    // Without waits, to the T: byte 0 is fetched at 14338, so that a write may end then (LD (HL),A at 14331) and no later.
    constexpr Timing free = Timing::uncontended;
    check.that(is_seen(free, 14331, 0x4000, 0, 0), "byte 0 at 14338");
    check.that(!is_seen(free, 14332, 0x4000, 0, 0), "not byte 0 at 14339");
    check.that(is_seen(free, 14333, 0x4001, 8, 0), "byte 1 at 14340");
    check.that(!is_seen(free, 14334, 0x4001, 8, 0), "not byte 1 at 14341");
    check.that(is_seen(free, 14339, 0x4002, 16, 0), "byte 2 at 14346");
    check.that(!is_seen(free, 14340, 0x4002, 16, 0), "not byte 2 at 14347");
    // Line 3: 3 * 224 T later; the last byte of its 32 (14338 + 672 + 15 * 8 + 2 = 15132).
    check.that(is_seen(free, 15125, 0x431F, 248, 3), "byte 31 of line 3 at 15132");
    check.that(!is_seen(free, 15126, 0x431F, 248, 3), "not byte 31 of line 3 at 15133");
    // With waits, as on the machine: a cycle that begins at 14334 is early enough, and one at 14335 has to wait for both cells' bytes.
    for (const int column : {0, 1}) {
        const int x = 8 * column;
        const auto address = static_cast<std::uint16_t>(0x4000 + column);
        check.that(is_seen(Timing::exact, 14330, address, x, 0), "write at 14334");
        check.that(!is_seen(Timing::exact, 14331, address, x, 0), "write at 14335");
    }
    // The third and fourth byte: a cycle that begins at 14342 does not wait, one at 14343 does.
    check.that(is_seen(Timing::exact, 14338, 0x4002, 16, 0), "write at 14342");
    check.that(!is_seen(Timing::exact, 14339, 0x4002, 16, 0), "write at 14343");
}

void colours_change_between_two_lines_of_a_cell(Check& check) {
    // The attribute of column 0 is fetched at 14339 for line 0 and at 14563 for line 1.
    Watched watched;
    watched.write(14400, 0x5800, 0x0A);  // blue paper 1, red ink
    check.equal(watched.at(0, 0), 7, "line 0");
    for (int y = 1; y < 8; ++y) {
        check.equal(watched.at(0, y), 1, "lines 1 to 7");
    }
    check.equal(watched.at(8, 1), 7, "the cell beside");
    // To the T, without waits: at 14556 the write ends at 14563, in time for line 1; a T later it is for line 2.
    Watched exact;
    exact.test.timing = Timing::uncontended;
    exact.write(14556, 0x5800, 0x0A);
    check.equal(exact.at(0, 1), 1, "line 1, in time");
    Watched too_late;
    too_late.test.timing = Timing::uncontended;
    too_late.write(14557, 0x5800, 0x0A);
    check.equal(too_late.at(0, 1), 7, "line 1, too late");
    check.equal(too_late.at(0, 2), 1, "line 2");
}

void many_colours_in_a_cell(Check& check) {
    // LD (HL),A (7); INC A (4), and NOPs (4) up to 224 T from one write to the next, all in the border at the right. Contended memory is
    // only written there, so that each line costs the same. 213 T of waiting: 52 NOPs and one instruction of 5 (RET NZ, not taken).
    Watched watched;
    watched.test.machine.ram[kAttributes] = 0;
    std::uint16_t address = 0x8000;
    for (int line = 0; line < 8; ++line) {
        watched.test.place(address, {0x77, 0xC6, 0x08});  // ADD A,8 (7): the next paper
        address = static_cast<std::uint16_t>(address + 3);
        for (int n = 0; n < 50; ++n) {
            watched.test.place(address++, {0x00});
        }
        watched.test.place(address, {0xC3, static_cast<std::uint8_t>(address + 3), static_cast<std::uint8_t>((address + 3) >> 8)});
        address = static_cast<std::uint16_t>(address + 3);
    }
    watched.test.place(address, {0xF3, 0x76});
    watched.test.set_a(0x08);
    watched.test.cpu().hl = 0x5800;
    watched.test.state->t = 14480;  // line 0's border at the right
    watched.test.cpu().pc = 0x8000;
    run_frame_probed(watched.test.machine, watched.test.setup(), *watched.picture);
    check.equal(watched.at(0, 0), 0, "line 0");
    for (int y = 1; y < 8; ++y) {
        check.equal(watched.at(3, y), y, "a colour a line");
    }
}

void the_other_screen_of_a_128k_is_shown_from_the_next_fetch_on(Check& check) {
    // OUT (C),A (12) at t: I/O cycle at t + 8, T2 at t + 9. Line 50 is fetched from 14364 + 50 * 228 = 25764; its end is at 25887.
    constexpr std::uint8_t kOut = 0x79;
    const auto make = [](Timing timing) {
        Watched watched(Model::spectrum128);
        watched.test.timing = timing;
        std::fill_n(watched.test.machine.ram.begin() + static_cast<std::ptrdiff_t>(kBank7 + kAttributes), 768, std::uint8_t{0x10});  // red
        watched.test.cpu().bc = 0x7FFD;
        watched.test.set_a(0x08);
        return watched;
    };
    Watched between = make(Timing::exact);
    between.run(25900, {0xED, kOut});
    check.equal(between.at(255, 50), 7, "line 50 of bank 5");
    check.equal(between.at(0, 51), 2, "line 51 of bank 7");
    check.equal(between.at(255, 191), 2, "line 191 of bank 7");
    // Cells 2 and 3 are fetched from 25772 on: with T2 at 25772 they come from bank 7, with the bitmap of cell 2 still from bank 5 a T
    // later.
    Watched within = make(Timing::uncontended);
    within.run(25763, {0xED, kOut});
    check.equal(within.at(15, 50), 7, "cell 1 of bank 5");
    check.equal(within.at(16, 50), 2, "cell 2 of bank 7");
    Watched later = make(Timing::uncontended);
    later.run(25765, {0xED, kOut});  // T2 at 25774, after cell 2 has been fetched
    check.equal(later.at(16, 50), 7, "cell 2 of bank 5");
    check.equal(later.at(24, 50), 2, "cell 3 of bank 7");
    // A locked latch shows nothing new.
    Watched locked = make(Timing::exact);
    locked.test.state->port_7ffd = 0x20;
    locked.run(25900, {0xED, kOut});
    check.equal(locked.at(0, 51), 7, "with paging locked");
}

void a_read_of_the_paging_port_shows_the_other_screen(Check& check) {
    // IN A,(C) (12) from 0x7FFD in the retrace of line 50, with 0xFF on the bus: the latch takes it.
    Watched watched(Model::spectrum128);
    std::fill_n(watched.test.machine.ram.begin() + static_cast<std::ptrdiff_t>(kBank7 + kAttributes), 768, std::uint8_t{0x10});
    watched.test.cpu().bc = 0x7FFD;
    watched.run(25920, {0xED, 0x78});
    check.equal(watched.at(0, 50), 7, "line 50 of bank 5");
    check.equal(watched.at(0, 51), 2, "line 51 of bank 7");
}

void the_screen_that_is_not_shown_is_not_seen(Check& check) {
    Watched watched(Model::spectrum128);
    watched.test.state->port_7ffd = 7;  // bank 7 at 0xC000
    watched.write(2000, 0xC000, 0xFF);
    check.equal(watched.at(0, 0), 7, "bank 5");
    watched.test.state->port_7ffd = 15;
    std::fill_n(watched.test.machine.ram.begin() + static_cast<std::ptrdiff_t>(kBank7 + kAttributes), 768, std::uint8_t{0x38});
    watched.write(2000, 0xC001, 0xFF);
    check.equal(watched.at(0, 0), 0, "bank 7, byte 0");
    check.equal(watched.at(8, 0), 0, "bank 7, byte 1");
    watched.write(2000, 0x4002, 0xFF);
    check.equal(watched.at(16, 0), 7, "bank 7, byte 2");
}

void where_nothing_changes_it_is_the_cheap_picture(Check& check) {
    std::uint32_t seed = 2463534242U;
    const auto random = [&seed] {
        seed ^= seed << 13U, seed ^= seed >> 17U, seed ^= seed << 5U;
        return static_cast<std::uint8_t>(seed >> 11U);
    };
    std::vector<std::uint8_t> cheap(320 * 240 * 3);
    std::vector<std::uint8_t> exact(cheap.size() + 1, 0xAA);
    for (int round = 0; round < 24; ++round) {
        Watched watched(round % 3 == 0 ? Model::spectrum48 : round % 3 == 1 ? Model::spectrum128 : Model::plus2);
        watched.test.state->late = round / 3 % 2 == 1 ? 1 : 0;
        std::generate(watched.test.machine.ram.begin(), watched.test.machine.ram.end(), random);
        watched.test.state->frame = random();
        watched.test.state->border = random() & 7U;
        watched.test.state->port_7ffd = round % 3 == 0 ? 0 : random() & 8U;
        draw_rgb_with_border(watched.test.machine, cheap.data());
        watched.run(random(), {});
        watched.picture->draw_rgb(exact.data());
        check.that(std::equal(cheap.begin(), cheap.end(), exact.begin()), "equal pictures");
        check.equal(exact.back(), 0xAA, "byte behind the picture");
    }
}

void each_frame_begins_anew(Check& check) {
    Watched watched;
    watched.out_border(20000, 3);
    check.equal(watched.at(-32, -24), 0, "above, in the first frame");
    check.equal(watched.at(-32, 215), 3, "below, in the first frame");
    run_frame_probed(watched.test.machine, watched.test.setup(), *watched.picture);
    check.equal(watched.at(-32, -24), 3, "above, in the second frame");
    check.equal(watched.count(0), 0, "pixels of the old border in the second frame");
}

}  // namespace

int main() {
    return run_tests({
        {"an OUT changes the border from the next latch on", an_out_changes_the_border_from_the_next_latch_on},
        {"the border at the left belongs to the line before", the_border_at_the_left_belongs_to_the_line_before},
        {"stripes", stripes},
        {"late machines and the 128K", late_machines_and_the_128k},
        {"an OUT that waits has reached the border before its wait", an_out_that_waits_has_reached_the_border_before_its_wait},
        {"a write is seen if it ends before the fetch", a_write_is_seen_if_it_ends_before_the_fetch},
        {"colours change between two lines of a cell", colours_change_between_two_lines_of_a_cell},
        {"many colours in a cell", many_colours_in_a_cell},
        {"the other screen of a 128K is shown from the next fetch on", the_other_screen_of_a_128k_is_shown_from_the_next_fetch_on},
        {"a read of the paging port shows the other screen", a_read_of_the_paging_port_shows_the_other_screen},
        {"the screen that is not shown is not seen", the_screen_that_is_not_shown_is_not_seen},
        {"where nothing changes it is the cheap picture", where_nothing_changes_it_is_the_cheap_picture},
        {"each frame begins anew", each_frame_begins_anew},
    });
}
