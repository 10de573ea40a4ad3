// SPDX-License-Identifier: GPL-3.0-or-later
#include "program.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace oakemu {
namespace {

constexpr std::size_t kMaxDepth = 32;
constexpr int kRamStart = 0x4000;
constexpr std::size_t kMaxBytes = 18;  ///< of a variable

constexpr std::array<std::pair<std::string_view, VariableType>, 10> kTypeNames = {{
    {"u8", VariableType::u8},
    {"i8", VariableType::i8},
    {"u16le", VariableType::u16le},
    {"u16be", VariableType::u16be},
    {"u24", VariableType::u24},
    {"bcd", VariableType::bcd},
    {"digits", VariableType::digits},
    {"bits", VariableType::bits},
    {"boolean", VariableType::boolean},
    {"bool", VariableType::boolean},
}};

/// Name and number of values taken from the stack; every operation leaves one.
struct OpFacts {
    std::string_view name;
    std::size_t arity;
};

/// In the order of Op.
constexpr std::array<OpFacts, 24> kOps = {{
    {"constant", 0},   {"variable", 0},    {"before", 0},        {"called", 0},  {"add", 2},       {"subtract", 2},
    {"multiply", 2},   {"divide", 2},      {"floor_divide", 2},  {"modulo", 2},  {"negate", 1},    {"less", 2},
    {"less_equal", 2}, {"greater", 2},     {"greater_equal", 2}, {"equal", 2},   {"not_equal", 2}, {"logical_and", 2},
    {"logical_or", 2}, {"logical_not", 1}, {"minimum", 2},       {"maximum", 2}, {"absolute", 1},  {"select", 3},
}};
static_assert(static_cast<std::size_t>(Op::select) + 1 == kOps.size());

const OpFacts& facts(Op op) { return kOps[static_cast<std::size_t>(op)]; }

template <typename Table, typename NameOf>
std::string join_names(const Table& table, NameOf name_of) {
    std::string text;
    for (const auto& entry : table) text += (text.empty() ? "" : ", ") + std::string(name_of(entry));
    return text;
}

/// Python's float modulo: the result has the sign of the divisor.
double python_modulo(double dividend, double divisor) {
    const double rest = std::fmod(dividend, divisor);
    if (rest == 0.0) return std::copysign(0.0, divisor);
    return (rest < 0.0) != (divisor < 0.0) ? rest + divisor : rest;
}

/// Python's float floor division, by way of the modulo so that (a // b) * b + a % b is a (the way CPython does it).
double python_floor_divide(double dividend, double divisor) {
    const double rest = std::fmod(dividend, divisor);
    double quotient = (dividend - rest) / divisor;
    if (rest != 0.0 && (rest < 0.0) != (divisor < 0.0)) quotient -= 1.0;
    if (quotient == 0.0) return std::copysign(0.0, dividend / divisor);
    const double floored = std::floor(quotient);
    return quotient - floored > 0.5 ? floored + 1.0 : floored;
}

/// Applies an operation with one, two or three operands; a is the deepest one.
double apply(Op op, double a, double b, double c) {
    const auto truth = [](bool value) { return value ? 1.0 : 0.0; };
    switch (op) {
        case Op::add:
            return a + b;
        case Op::subtract:
            return a - b;
        case Op::multiply:
            return a * b;
        case Op::divide:
            return a / b;
        case Op::floor_divide:
            return python_floor_divide(a, b);
        case Op::modulo:
            return python_modulo(a, b);
        case Op::negate:
            return -a;
        case Op::less:
            return truth(a < b);
        case Op::less_equal:
            return truth(a <= b);
        case Op::greater:
            return truth(a > b);
        case Op::greater_equal:
            return truth(a >= b);
        case Op::equal:
            return truth(a == b);
        case Op::not_equal:
            return truth(a != b);
        case Op::logical_and:
            return truth(a != 0.0 && b != 0.0);
        case Op::logical_or:
            return truth(a != 0.0 || b != 0.0);
        case Op::logical_not:
            return truth(a == 0.0);
        case Op::minimum:
            return b < a ? b : a;
        case Op::maximum:
            return b > a ? b : a;
        case Op::absolute:
            return std::fabs(a);
        case Op::select:
            return a != 0.0 ? b : c;
        case Op::constant:
        case Op::variable:
        case Op::before:
        case Op::called:
            break;  // These push; they have no operands on the stack.
    }
    return 0.0;
}

[[noreturn]] void refuse(std::size_t index, Op op, const std::string& why) {
    throw std::invalid_argument("instruction " + std::to_string(index) + " (" + std::string(facts(op).name) + "): " + why);
}

void check_operand(std::size_t index, const Instruction& instruction, int count, const char* what) {
    const double operand = instruction.operand;
    if (operand >= 0.0 && operand < count && std::trunc(operand) == operand) return;
    refuse(index, instruction.op,
           std::string("there is no ") + what + " " + std::to_string(operand) + "; there are " + std::to_string(count));
}

void check_push(std::size_t index, const Instruction& instruction, int num_variables, int num_hooks) {
    switch (instruction.op) {
        case Op::constant:
            if (!std::isfinite(instruction.operand)) refuse(index, instruction.op, "the number is not finite");
            break;
        case Op::called:
            check_operand(index, instruction, num_hooks, "hook");
            break;
        default:
            check_operand(index, instruction, num_variables, "variable");
            break;
    }
}

std::size_t byte_count(const Variable& variable) {
    switch (variable.type) {
        case VariableType::u16le:
        case VariableType::u16be:
            return 2;
        case VariableType::u24:
            return 3;
        case VariableType::bcd:
        case VariableType::digits:
            return variable.count;
        default:
            return 1;
    }
}

}  // namespace

Op op_from_name(std::string_view name) {
    for (std::size_t i = 0; i < kOps.size(); ++i) {
        if (kOps[i].name == name) return static_cast<Op>(i);
    }
    throw std::invalid_argument("'" + std::string(name) +
                                "' is no operation; known: " + join_names(kOps, [](const OpFacts& op) { return op.name; }));
}

VariableType variable_type_from_name(std::string_view name) {
    for (const auto& [known, type] : kTypeNames) {
        if (known == name) return type;
    }
    throw std::invalid_argument("'" + std::string(name) +
                                "' is no variable type; known: " + join_names(kTypeNames, [](const auto& entry) { return entry.first; }));
}

void check_variable(const Variable& variable) {
    const auto refuse_variable = [&](const std::string& why) {
        throw std::invalid_argument("variable at address " + std::to_string(variable.address) + ": " + why);
    };
    // 18 decimal digits are the most that fit a 64-bit integer whatever they are.
    if (variable.type == VariableType::bcd && (variable.count < 1 || variable.count > 9)) {
        refuse_variable("bcd has 1 to 9 bytes, not " + std::to_string(variable.count));
    }
    if (variable.type == VariableType::digits && (variable.count < 1 || variable.count > 18)) {
        refuse_variable("digits has 1 to 18 bytes, not " + std::to_string(variable.count));
    }
    if (variable.type == VariableType::bits && (variable.low > variable.high || variable.high > 7)) {
        refuse_variable("bits run from 0 to 7, low first, not " + std::to_string(variable.low) + " to " + std::to_string(variable.high));
    }
    if (variable.address < kRamStart || variable.address + byte_count(variable) > 0x10000) {
        refuse_variable("its " + std::to_string(byte_count(variable)) + " byte(s) must lie in RAM, 16384 to 65535");
    }
}

namespace {

/// The bytes of a variable, which lie in a row unless a page of a paged machine ends among them.
const std::uint8_t* bytes_of(const Machine& machine, const Variable& variable, std::array<std::uint8_t, kMaxBytes>& copy) {
    const std::size_t count = byte_count(variable);
    const std::uint8_t* const first = &machine.ram[page_place(machine.state, variable.address >> 14U) + variable.address % kBankSize];
    if (variable.address % kBankSize + count <= kBankSize) return first;
    for (std::size_t i = 0; i < count; ++i) copy[i] = machine.at(static_cast<std::uint16_t>(variable.address + i));
    return copy.data();
}

}  // namespace

std::int64_t read_variable(const Machine& machine, const Variable& variable) {
    std::array<std::uint8_t, kMaxBytes> copy;
    const std::uint8_t* const bytes = bytes_of(machine, variable, copy);
    switch (variable.type) {
        case VariableType::u8:
            return bytes[0];
        case VariableType::i8:
            return static_cast<std::int8_t>(bytes[0]);
        case VariableType::u16le:
            return bytes[0] | bytes[1] << 8;
        case VariableType::u16be:
            return bytes[0] << 8 | bytes[1];
        case VariableType::u24:
            return bytes[0] | bytes[1] << 8 | bytes[2] << 16;
        case VariableType::bits:
            return (bytes[0] >> variable.low) & ((1 << (variable.high - variable.low + 1)) - 1);
        case VariableType::boolean:
            return bytes[0] != 0 ? 1 : 0;
        case VariableType::bcd:
        case VariableType::digits:
            break;
    }
    std::int64_t value = 0;
    for (int i = 0; i < variable.count; ++i) {
        if (variable.type == VariableType::bcd) value = value * 10 + (bytes[i] >> 4);
        value = value * 10 + (bytes[i] & 15);
    }
    return value;
}

Expression::Expression(std::vector<Instruction> code, int num_variables, int num_hooks) : code_(std::move(code)) {
    // The stack as far as it is known before anything runs: a value where only constants went in, else nothing.
    std::vector<std::optional<double>> stack;
    for (std::size_t i = 0; i < code_.size(); ++i) {
        const Op op = code_[i].op;
        if (static_cast<std::size_t>(op) >= kOps.size())
            throw std::invalid_argument("instruction " + std::to_string(i) + ": no such operation");
        const std::size_t arity = facts(op).arity;
        if (stack.size() < arity) {
            refuse(i, op, "needs " + std::to_string(arity) + " value(s), the stack holds " + std::to_string(stack.size()));
        }
        std::optional<double> result;
        if (arity == 0) {
            check_push(i, code_[i], num_variables, num_hooks);
            if (op == Op::constant) result = code_[i].operand;
        } else {
            const auto* operands = &stack[stack.size() - arity];
            const bool divides = op == Op::divide || op == Op::floor_divide || op == Op::modulo;
            if (divides && (!operands[1] || *operands[1] == 0.0 || !std::isfinite(*operands[1]))) {
                refuse(i, op, "the divisor must be a constant other than 0");
            }
            bool known = true;
            for (std::size_t k = 0; k < arity; ++k) known = known && operands[k].has_value();
            if (known) result = apply(op, *operands[0], arity > 1 ? *operands[1] : 0.0, arity > 2 ? *operands[2] : 0.0);
        }
        stack.resize(stack.size() - arity);
        stack.push_back(result);
        if (stack.size() > kMaxDepth) refuse(i, op, "the expression nests deeper than " + std::to_string(kMaxDepth) + " values");
    }
    if (!code_.empty() && stack.size() != 1) {
        throw std::invalid_argument("the expression leaves " + std::to_string(stack.size()) + " values instead of one");
    }
}

double Expression::evaluate(std::span<const std::int64_t> after, std::span<const std::int64_t> before,
                            std::span<const std::uint32_t> calls) const {
    // Two more than ever pushed: operations read all three operand places, and use as many as they have.
    std::array<double, kMaxDepth + 2> stack{};
    std::size_t depth = 0;
    for (const Instruction& instruction : code_) {
        const auto index = [&] { return static_cast<std::size_t>(instruction.operand); };
        switch (instruction.op) {
            case Op::constant:
                stack[depth++] = instruction.operand;
                break;
            case Op::variable:
                stack[depth++] = static_cast<double>(after[index()]);
                break;
            case Op::before:
                stack[depth++] = static_cast<double>(before[index()]);
                break;
            case Op::called:
                stack[depth++] = calls[index()];
                break;
            default:
                depth -= facts(instruction.op).arity;
                stack[depth] = apply(instruction.op, stack[depth], stack[depth + 1], stack[depth + 2]);
                ++depth;
        }
    }
    return stack[0];
}

}  // namespace oakemu
