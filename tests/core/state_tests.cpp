// SPDX-License-Identifier: GPL-3.0-or-later
// Saved machines. Right values: the machine that was saved, and fields where docs/states.md puts them.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "check.hpp"
#include "hash.hpp"
#include "snapshot.hpp"
#include "tape.hpp"
#include "test_machine.hpp"

namespace {

using oakemu::hash64;
using oakemu::Machine;
using oakemu::Model;
using oakemu::State;
using Bytes = std::vector<std::byte>;

constexpr std::array kModels{Model::spectrum48, Model::spectrum128, Model::plus2};
constexpr std::size_t kTape = oakemu::kSavedHeader + 8, kCpu = oakemu::kSavedHeader + 52, kRam = oakemu::kSavedHeader + sizeof(State);

Bytes random_bytes(std::size_t size, unsigned seed) {
    std::mt19937 random(seed);
    Bytes bytes(size);
    for (std::byte& byte : bytes) byte = std::byte{static_cast<unsigned char>(random())};
    return bytes;
}

/// A machine that runs through random bytes: everything of it changes all the time.
TestMachine busy_machine(Model model, unsigned seed) {
    TestMachine test(model);
    const Bytes ram = random_bytes(test.machine.ram.size(), seed);
    std::memcpy(test.machine.ram.data(), ram.data(), ram.size());
    const Bytes rom = random_bytes(2 * oakemu::kBankSize, seed + 1);
    std::memcpy(test.roms->images.data(), rom.data(), rom.size());
    test.state->late = seed & 1U;
    test.state->keys[seed % 8] = 0x15;
    for (int i = 0; i < 3; ++i) test.run_frame();
    return test;
}

/// What restoring the bytes is refused with; empty if it is not. The machine must stay as it was then.
std::string refusal(Check& check, Machine& machine, const Bytes& bytes, const oakemu::Tape* tape = nullptr) {
    const Machine before = machine;
    try {
        oakemu::restore(machine, bytes, tape);
        return "";
    } catch (const std::invalid_argument& error) {
        check.that(machine == before, "a refused state changes nothing");
        return error.what();
    }
}

bool mentions(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

void resealed(Bytes& bytes) {
    Model model{};
    std::memcpy(&model, bytes.data() + 12, 1);
    oakemu::seal_machine(bytes, model);
}

void machines_come_back(Check& check) {
    for (const Model model : kModels) {
        for (unsigned seed = 0; seed < 6; ++seed) {
            TestMachine test = busy_machine(model, seed);
            const Bytes saved = oakemu::save(test.machine);
            check.equal(saved.size(), kRam + oakemu::ram_size(model), "size of a saved machine");
            check.that(oakemu::restored(saved) == test.machine, "a restored machine is equal");

            Machine other(model);
            const std::uint8_t* const ram = other.ram.data();
            oakemu::restore(other, saved);
            check.that(other == test.machine, "a machine that took it over is equal");
            check.that(other.ram.data() == ram, "its RAM stays where it is");
            check.that(oakemu::save(other) == saved, "it saves the same bytes");
            for (int i = 0; i < 5; ++i) {
                test.run_frame();
                oakemu::run_frame(other, test.setup());
            }
            check.that(other == test.machine, "it goes on the same");
        }
    }
}

void the_format_is_the_documented_one(Check& check) {
    Machine machine(Model::plus2);
    State& s = machine.state;
    s.frame = 0x0102030405060708;
    s.t = 0x0001020;
    s.tape.edge = 0x1111;
    s.tape.playing = 1;
    s.cpu.af = 0xAB01;
    s.cpu.pc = 0x1234;
    s.cpu.no_int_at = -1;
    s.cpu.ld_a_ir_at = 5;
    s.keys[7] = 0x1F;
    s.port_7ffd = 0x17;
    s.ay[13] = 0x0E;
    machine.ram[0] = 0x77;
    machine.ram.back() = 0x88;
    const Bytes saved = oakemu::save(machine);
    const auto u8 = [&](std::size_t at) { return std::to_integer<unsigned>(saved[at]); };
    const auto u32 = [&](std::size_t at) { return u8(at) | u8(at + 1) << 8U | u8(at + 2) << 16U | u8(at + 3) << 24U; };
    check.that(std::memcmp(saved.data(), "OAKS", 4) == 0, "the magic");
    check.equal(u32(4), 2U, "version");
    check.equal(u32(8), 136U + 131072U, "size of the payload");
    check.equal(u32(12), 2U, "model");
    std::uint64_t checksum = 0;
    std::memcpy(&checksum, saved.data() + 16, 8);
    check.equal(checksum, hash64(std::span(saved).subspan(24), hash64(std::span(saved).first(16), 0)), "checksum");
    check.equal(u8(24), 0x08U, "lowest byte of the frame");
    check.equal(u8(31), 0x01U, "highest byte of the frame");
    check.equal(u8(kTape), 0x11U, "edge of the tape");
    check.equal(u8(kTape + 36), 1U, "whether the tape plays");
    check.equal(u32(24 + 48), 0x1020U, "t");
    check.equal(u8(kCpu), 0x01U, "F");
    check.equal(u8(kCpu + 1), 0xABU, "A");
    check.equal(u8(kCpu + 22), 0x34U, "low byte of PC");
    check.equal(u32(kCpu + 36), 0xFFFFFFFFU, "no_int_at");
    check.equal(u32(kCpu + 40), 5U, "ld_a_ir_at");
    check.equal(u8(24 + 96), 2U, "model");
    check.equal(u8(24 + 99), 7U, "border");
    check.equal(u8(24 + 110), 0x1FU, "last half row");
    check.equal(u8(24 + 111), 0x17U, "port_7ffd");
    check.equal(u8(24 + 113 + 13), 0x0EU, "shape of the envelope");
    check.equal(u8(160), 0x77U, "first byte of RAM");
    check.equal(u8(saved.size() - 1), 0x88U, "last byte of RAM");
}

void damaged_bytes_are_refused(Check& check) {
    for (const Model model : kModels) {
        TestMachine test = busy_machine(model, 3);
        const Bytes good = oakemu::save(test.machine);
        test.run_frame();
        std::mt19937 random(4);
        for (int i = 0; i < 300; ++i) {
            Bytes bytes = good;
            const std::size_t place = i < 40 ? static_cast<std::size_t>(i) : random() % good.size();
            bytes[place] ^= std::byte{1} << (i % 8);
            check.that(!refusal(check, test.machine, bytes).empty(), "a flipped bit is noticed");
            check.that(!refusal(check, test.machine, Bytes(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(place))).empty(),
                       "a truncation is noticed");
        }
        for (std::size_t size : {std::size_t{0}, std::size_t{23}, std::size_t{24}, good.size()}) {
            check.that(!refusal(check, test.machine, random_bytes(size, 6)).empty(), "random bytes are refused");
        }
        Bytes longer = good;
        longer.emplace_back();
        check.that(mentions(refusal(check, test.machine, longer), "longer than it says"), "more bytes are refused");
        check.equal(refusal(check, test.machine, good), "", "refusal of good bytes");
    }
}

void models_do_not_mix(Check& check) {
    for (const Model model : kModels) {
        const Bytes saved = oakemu::save(Machine(model));
        for (const Model other : kModels) {
            Machine machine(other);
            const std::string said = refusal(check, machine, saved);
            check.equal(said.empty(), model == other, "only the same model takes it");
        }
    }
    Machine machine(Model::spectrum128);
    check.equal(refusal(check, machine, oakemu::save(Machine(Model::spectrum48))),
                "saved state: it is of a 48k machine, this one is a 128k", "refusal");
    // The RAM of the other size, or another model in the header, with the right checksum.
    Bytes bytes = oakemu::save(Machine(Model::spectrum48));
    bytes[24 + 96] = std::byte{1};
    resealed(bytes);
    check.that(mentions(refusal(check, machine, bytes), "another model than the state"), "the header must agree");
    bytes[12] = std::byte{1};
    resealed(bytes);
    check.that(mentions(refusal(check, machine, bytes), "131208 bytes, 49288 given"), "RAM must be of the model's size");
}

struct WrongField {
    std::size_t place;  ///< in the State
    unsigned char value;
    const char* says;
};

void impossible_fields_are_refused(Check& check) {
    const std::vector<WrongField> fields{
        {8 + 7, 0x80, "position of the tape"},  // a negative edge
        {8 + 36, 2, "position of the tape"},
        {8 + 37, 2, "position of the tape"},
        {8 + 39, 1, "position of the tape"},
        {48 + 3, 1, "'t'"},
        {52 + 29, 3, "'im' is 3, allowed are 0 to 2"},
        {52 + 30, 2, "'iff1'"},
        {52 + 31, 2, "'iff2'"},
        {52 + 32, 2, "'halted'"},
        {52 + 33, 2, "'hook_reported'"},
        {52 + 34, 1, "'padding'"},
        {52 + 39, 0x7F, "'no_int_at'"},
        {52 + 43, 0x80, "'ld_a_ir_at'"},
        {96, 3, "'model' is 3, allowed are 0 to 2"},
        {97, 2, "'late'"},
        {98, 2, "'issue2'"},
        {99, 8, "'border' is 8, allowed are 0 to 7"},
        {101, 0x20, "'kempston'"},
        {102, 2, "'kempston_fitted'"},
        {103, 0x20, "'keys'"},
        {110, 0x40, "'keys' is 64, allowed are 0 to 31"},
        {112, 16, "'ay_selected'"},
        {113 + 1, 0x10, "'ay[1]' is 16, allowed are 0 to 15"},
        {113 + 6, 0x20, "'ay[6]'"},
        {113 + 13, 0x10, "'ay[13]'"},
        {129, 1, "'padding'"},
        {135, 1, "'padding'"},
    };
    for (const Model model : kModels) {
        Machine machine(model);
        const Bytes good = oakemu::save(machine);
        for (const WrongField& field : fields) {
            Bytes bytes = good;
            bytes[oakemu::kSavedHeader + field.place] = std::byte{field.value};
            resealed(bytes);
            const std::string said = refusal(check, machine, bytes);
            const bool is_sound = mentions(field.says, "ay") && model == Model::spectrum48;
            check.that(mentions(said, is_sound ? "'ay" : field.says), field.says);
        }
    }
    Machine machine;
    for (const std::size_t place : {111U, 112U, 113U}) {
        Bytes bytes = oakemu::save(machine);
        bytes[oakemu::kSavedHeader + place] = std::byte{1};
        resealed(bytes);
        check.that(mentions(refusal(check, machine, bytes), "allowed are 0 to 0"), "a 48K machine has neither paging nor a sound chip");
    }
    machine.state.keys[3] = 0xFF;
    try {
        static_cast<void>(oakemu::save(machine));
        check.that(false, "what cannot be restored is not saved");
    } catch (const std::invalid_argument&) {
    }
}

void the_tape_must_have_the_position(Check& check) {
    const oakemu::Tape tape({{.op = oakemu::TapeOp::hold, .count = 1000}}, {}, {}, {});
    Machine machine;
    machine.state.tape.segment = 1;  // its end
    const Bytes at_end = oakemu::save(machine);
    machine.state.tape.segment = 2;
    const Bytes behind = oakemu::save(machine);
    machine.state.tape.segment = 0;
    check.equal(refusal(check, machine, at_end, &tape), "", "refusal of the end");
    check.that(mentions(refusal(check, machine, behind, &tape), "not on the one in the recorder"), "behind the end");
    check.equal(refusal(check, machine, behind), "", "refusal without a tape");
}

void threads_do_not_matter(Check& check) {
    const Bytes start = oakemu::save(busy_machine(Model::spectrum128, 11).machine);
    const TestMachine hardware = busy_machine(Model::spectrum128, 11);
    const auto play = [&](unsigned seed) {
        Machine machine(Model::spectrum128);
        std::mt19937 random(seed);
        Bytes kept = start;
        for (int i = 0; i < 12; ++i) {
            oakemu::restore(machine, kept);
            machine.state.keys[random() % 8] = static_cast<std::uint8_t>(random() % 32);
            oakemu::run_frame(machine, hardware.setup());
            kept = oakemu::save(machine);
        }
        return kept;
    };
    std::vector<Bytes> results(6);
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < results.size(); ++i) threads.emplace_back([&, i] { results[i] = play(i); });
    for (std::thread& thread : threads) thread.join();
    for (unsigned i = 0; i < results.size(); ++i) check.that(results[i] == play(i), "the same without threads");
}

}  // namespace

int main() {
    return run_tests({{"machines come back", machines_come_back},
                      {"the format is the documented one", the_format_is_the_documented_one},
                      {"damaged bytes are refused", damaged_bytes_are_refused},
                      {"models do not mix", models_do_not_mix},
                      {"impossible fields are refused", impossible_fields_are_refused},
                      {"the tape must have the position", the_tape_must_have_the_position},
                      {"threads do not matter", threads_do_not_matter}});
}
