// SPDX-License-Identifier: GPL-3.0-or-later
// Expressions. Right values: worked out by hand, and Python's own for //, % and comparisons.
#include "program.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.hpp"
#include "variable.hpp"

namespace {

using oakemu::Expression;
using oakemu::Instruction;
using oakemu::Op;
using oakemu::VariableType;
using Code = std::vector<Instruction>;

constexpr double kAfter[] = {7, -2};
constexpr double kBefore[] = {4, 9};
constexpr double kCalls[] = {0, 3};
constexpr oakemu::Scope kScope{.variables = 2, .before = 2, .hooks = 2};

double value(const Code& code) { return Expression(code, kScope).evaluate({kAfter, kBefore, kCalls}); }
Instruction number(double n) { return {Op::constant, n}; }
double unary(Op op, double a) { return value({number(a), {op, 0}}); }
double binary(Op op, double a, double b) { return value({number(a), number(b), {op, 0}}); }

/// The same with the left side unknown when the expression is built.
double binary_of_variable(Op op, double b) { return value({{Op::variable, 0}, number(b), {op, 0}}); }

/// What is said when the code is refused; empty if it is accepted.
std::string refusal(const Code& code) {
    try {
        const Expression made(code, kScope);
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "";
}

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

void values_are_pushed(Check& check) {
    check.equal(value({number(2.5)}), 2.5, "constant");
    check.equal(value({{Op::variable, 1}}), -2.0, "variable");
    check.equal(value({{Op::before, 1}}), 9.0, "before");
    check.equal(value({{Op::called, 1}}), 3.0, "called");
}

void arithmetic_is_pythons(Check& check) {
    check.equal(binary(Op::add, 2, 3.5), 5.5, "2 + 3.5");
    check.equal(binary(Op::subtract, 2, 3.5), -1.5, "2 - 3.5");
    check.equal(binary(Op::multiply, -2, 3.5), -7.0, "-2 * 3.5");
    check.equal(binary(Op::divide, 7, 2), 3.5, "7 / 2");
    check.equal(binary(Op::floor_divide, 7, 2), 3.0, "7 // 2");
    check.equal(binary(Op::floor_divide, -7, 2), -4.0, "-7 // 2");
    check.equal(binary(Op::floor_divide, 7, -2), -4.0, "7 // -2");
    check.equal(binary(Op::floor_divide, -7, -2), 3.0, "-7 // -2");
    check.equal(binary(Op::floor_divide, 1, 0.1), 9.0, "1 // 0.1");
    check.equal(binary(Op::modulo, 7, 3), 1.0, "7 % 3");
    check.equal(binary(Op::modulo, -7, 3), 2.0, "-7 % 3");
    check.equal(binary(Op::modulo, 7, -3), -2.0, "7 % -3");
    check.equal(binary(Op::modulo, -7, -3), -1.0, "-7 % -3");
    check.equal(binary(Op::modulo, 6, 3), 0.0, "6 % 3");
    check.equal(unary(Op::negate, 3), -3.0, "-(3)");
    check.equal(unary(Op::absolute, -3), 3.0, "abs(-3)");
    check.equal(binary(Op::minimum, 2, -1), -1.0, "min(2, -1)");
    check.equal(binary(Op::minimum, -2, 1), -2.0, "min(-2, 1)");
    check.equal(binary(Op::maximum, 2, -1), 2.0, "max(2, -1)");
    check.equal(binary(Op::maximum, -2, 1), 1.0, "max(-2, 1)");
    check.equal(binary_of_variable(Op::divide, 2), 3.5, "variable / 2");
    check.equal(binary_of_variable(Op::floor_divide, -2), -4.0, "variable // -2");
    check.equal(binary_of_variable(Op::modulo, 4), 3.0, "variable % 4");
}

void conditions_are_0_or_1(Check& check) {
    const struct {
        Op op;
        double less, same, more;  ///< of 1 and 2, 2 and 2, 3 and 2
    } comparisons[] = {
        {Op::less, 1, 0, 0},          {Op::less_equal, 1, 1, 0}, {Op::greater, 0, 0, 1},
        {Op::greater_equal, 0, 1, 1}, {Op::equal, 0, 1, 0},      {Op::not_equal, 1, 0, 1},
    };
    for (const auto& row : comparisons) {
        check.equal(binary(row.op, 1, 2), row.less, "1 compared with 2");
        check.equal(binary(row.op, 2, 2), row.same, "2 compared with 2");
        check.equal(binary(row.op, 3, 2), row.more, "3 compared with 2");
    }
    for (const double a : {0.0, 5.0}) {
        for (const double b : {0.0, -0.5}) {
            check.equal(binary(Op::logical_and, a, b), a != 0 && b != 0 ? 1.0 : 0.0, "and");
            check.equal(binary(Op::logical_or, a, b), a != 0 || b != 0 ? 1.0 : 0.0, "or");
        }
    }
    check.equal(unary(Op::logical_not, 0), 1.0, "not 0");
    check.equal(unary(Op::logical_not, 0.25), 0.0, "not 0.25");
    check.equal(value({number(1), number(20), number(30), {Op::select, 0}}), 20.0, "20 if 1 else 30");
    check.equal(value({number(0), number(20), number(30), {Op::select, 0}}), 30.0, "20 if 0 else 30");
}

void a_whole_reward(Check& check) {
    // (variable 0 - before 0) / 100 - 5 * (variable 1 < before 1) + called 1
    check.equal(value({{Op::variable, 0},
                       {Op::before, 0},
                       {Op::subtract, 0},
                       number(100),
                       {Op::divide, 0},
                       number(5),
                       {Op::variable, 1},
                       {Op::before, 1},
                       {Op::less, 0},
                       {Op::multiply, 0},
                       {Op::subtract, 0},
                       {Op::called, 1},
                       {Op::add, 0}}),
                0.03 - 5 + 3, "the reward");
    check.that(Expression().empty(), "no code is empty");
    check.that(refusal({}).empty(), "no code is accepted");
}

void values_stay_finite(Check& check) {
    constexpr double largest = std::numeric_limits<double>::max();
    check.equal(binary(Op::add, largest, largest), largest, "the sum of the largest");
    check.equal(binary(Op::subtract, -largest, largest), -largest, "the difference of the largest");
    check.equal(binary(Op::multiply, largest, -2), -largest, "twice the largest, negative");
    check.equal(binary(Op::divide, largest, 1e-300), largest, "the largest by a small number");
    check.equal(binary(Op::floor_divide, -largest, 1e-300), -largest, "the same rounded down");
    check.that(std::isfinite(binary(Op::modulo, largest, 1e-300)), "what that leaves");
    const Code difference = {number(largest), number(largest), {Op::add, 0},     number(largest),
                             number(largest), {Op::add, 0},    {Op::subtract, 0}};
    check.equal(value(difference), 0.0, "the difference of two sums that are too large");
    check.equal(oakemu::saturated(-1.0 / 0.0), -largest, "what is added up");
}

void a_scope_is_kept(Check& check) {
    const auto refused = [](const Code& code) {
        try {
            const Expression made(code, {.variables = 1, .before = 3, .hooks = 0});
        } catch (const std::invalid_argument& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    check.equal(refused({{Op::variable, 0}}), "", "the first variable");
    check.equal(refused({{Op::before, 2}}), "", "the last variable before");
    check.equal(refused({{Op::variable, 1}}), "instruction 0 (variable): there is no variable 1; allowed are 0 to 0", "a later one");
    check.equal(refused({{Op::before, 3}}), "instruction 0 (before): there is no variable 3; allowed are 0 to 2", "one too many");
    check.equal(refused({{Op::called, 0}}), "instruction 0 (called): there is no hook 0; there are none", "a hook of none");
}

void bad_code_is_refused(Check& check) {
    const double infinity = 1e308 * 10;
    check.that(says(refusal({{Op::add, 0}}), "instruction 0 (add): needs 2 value(s), the stack holds 0"), "an empty stack");
    check.that(says(refusal({number(1), {Op::add, 0}}), "instruction 1 (add)"), "one value for two");
    check.that(says(refusal({number(1), number(1), {Op::select, 0}}), "needs 3"), "two values for three");
    check.that(says(refusal({number(1), number(2)}), "leaves 2 values"), "two results");
    check.that(says(refusal({number(infinity)}), "not finite"), "infinity");
    for (const double operand : {2.0, -1.0, 0.5, infinity}) {
        check.that(says(refusal({{Op::variable, operand}}), "there is no variable"), "another variable");
        check.that(says(refusal({{Op::before, operand}}), "there is no variable"), "another variable before");
        check.that(says(refusal({{Op::called, operand}}), "there is no hook"), "another hook");
    }
    for (const Op op : {Op::divide, Op::floor_divide, Op::modulo}) {
        check.that(says(refusal({number(1), number(0), {op, 0}}), "divisor"), "division by 0");
        check.that(says(refusal({number(1), {Op::variable, 0}, {op, 0}}), "divisor"), "division by a variable");
        check.that(refusal({number(1), number(3), {Op::negate, 0}, {op, 0}}).empty(), "division by -3");
        check.that(says(refusal({number(1), number(3), number(3), {Op::subtract, 0}, {op, 0}}), "divisor"), "division by 3 - 3");
    }
    Code deep(40, number(1));
    deep.insert(deep.end(), 39, {Op::add, 0});
    check.that(says(refusal(deep), "deeper than 32"), "40 values deep");
    Code just(32, number(1));
    just.insert(just.end(), 31, {Op::add, 0});
    check.equal(value(just), 32.0, "32 values deep");
    check.that(says(refusal({{static_cast<Op>(99), 0}}), "no such operation"), "operation 99");
}

void names_are_known(Check& check) {
    check.that(oakemu::op_from_name("constant") == Op::constant, "constant");
    check.that(oakemu::op_from_name("floor_divide") == Op::floor_divide, "floor_divide");
    check.that(oakemu::op_from_name("logical_not") == Op::logical_not, "logical_not");
    check.that(oakemu::op_from_name("select") == Op::select, "select");
    check.that(oakemu::variable_type_from_name("u16be") == VariableType::u16be, "u16be");
    check.that(oakemu::variable_type_from_name("bool") == VariableType::boolean, "bool");
    for (const bool op : {true, false}) {
        std::string said;
        try {
            op ? static_cast<void>(oakemu::op_from_name("power")) : static_cast<void>(oakemu::variable_type_from_name("power"));
        } catch (const std::invalid_argument& error) {
            said = error.what();
        }
        check.that(says(said, "'power'") && says(said, op ? "divide" : "u24"), "an unknown name, and the known ones");
    }
}

}  // namespace

int main() {
    return run_tests({{"values are pushed", values_are_pushed},
                      {"arithmetic is Python's", arithmetic_is_pythons},
                      {"conditions are 0 or 1", conditions_are_0_or_1},
                      {"a whole reward", a_whole_reward},
                      {"values stay finite", values_stay_finite},
                      {"a scope is kept", a_scope_is_kept},
                      {"bad code is refused", bad_code_is_refused},
                      {"names are known", names_are_known}});
}
