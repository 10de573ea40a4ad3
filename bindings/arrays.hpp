// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace oakemu {

/// An array of the caller's, of any library that nanobind knows, in CPU memory.
template <typename... Args>
using AnyArray = nanobind::ndarray<Args..., nanobind::device::cpu>;

inline std::string dtype_name(nanobind::dlpack::dtype type) {
    const auto code = static_cast<nanobind::dlpack::dtype_code>(type.code);
    const std::string bits = std::to_string(type.bits);
    switch (code) {
        case nanobind::dlpack::dtype_code::Bool:
            return "bool";
        case nanobind::dlpack::dtype_code::Int:
            return "int" + bits;
        case nanobind::dlpack::dtype_code::UInt:
            return "uint" + bits;
        case nanobind::dlpack::dtype_code::Float:
            return "float" + bits;
        default:
            return "another dtype of " + bits + " bits";
    }
}

inline std::string shape_text(const std::vector<std::size_t>& shape) {
    std::string text = "(";
    for (const std::size_t length : shape) text += std::to_string(length) + ", ";
    if (shape.size() > 1) text.resize(text.size() - 2);
    if (shape.size() == 1) text.resize(text.size() - 1);
    return text + ")";
}

template <typename Array>
std::vector<std::size_t> shape_of(const Array& array) {
    std::vector<std::size_t> shape;
    for (std::size_t i = 0; i < array.ndim(); ++i) shape.push_back(array.shape(i));
    return shape;
}

template <typename Array>
bool is_contiguous(const Array& array) {
    std::int64_t wanted = 1;
    for (std::size_t i = array.ndim(); i-- > 0;) {
        if (array.shape(i) != 1 && array.size() != 0 && array.stride(i) != wanted) return false;
        wanted *= static_cast<std::int64_t>(array.shape(i));
    }
    return true;
}

/// The array behind a Python object. `Element` is const for arrays that are only read.
///
/// Raises TypeError for what is no (writable) array, ValueError for another dtype, shape or layout: nothing is ever converted, since a
/// converted output would be a copy that the caller never sees.
template <typename Element>
Element* checked_array(const char* name, nanobind::handle object, const std::vector<std::size_t>& shape) {
    using Raw = std::remove_const_t<Element>;
    using Array = std::conditional_t<std::is_const_v<Element>, AnyArray<nanobind::ro>, AnyArray<>>;
    Array array;
    if (!nanobind::try_cast(object, array, false)) {
        const char* wanted = std::is_const_v<Element> ? "wanted an array in CPU memory" : "wanted a writable array in CPU memory";
        throw nanobind::type_error((std::string(name) + ": " + wanted).c_str());
    }
    const auto dtype = nanobind::dtype<Raw>();
    const std::vector<std::size_t> given = shape_of(array);
    if (array.dtype() != dtype || given != shape) {
        throw nanobind::value_error((std::string(name) + ": " + dtype_name(array.dtype()) + " " + shape_text(given) + " given, wanted " +
                                     dtype_name(dtype) + " " + shape_text(shape))
                                        .c_str());
    }
    if (!is_contiguous(array)) throw nanobind::value_error((std::string(name) + ": the array is not C-contiguous").c_str());
    return const_cast<Element*>(static_cast<const Raw*>(array.data()));
}

}  // namespace oakemu
