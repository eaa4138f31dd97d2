// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Unused handles by size. With the pool's mutex held.
#include "pool/blocks/shapes.hpp"

#include "pool/blocks/parts.hpp"

namespace clpool::core {

void Shapes::enter(Part& part) noexcept {
  Part*& first = lists_[list_of(part.size)];
  part.previous_alike = nullptr;
  part.next_alike = first;
  if (first != nullptr) {
    first->previous_alike = &part;
  }
  first = &part;
}

void Shapes::remove(Part& part) noexcept {
  (part.previous_alike != nullptr ? part.previous_alike->next_alike : lists_[list_of(part.size)]) =
      part.next_alike;
  if (part.next_alike != nullptr) {
    part.next_alike->previous_alike = part.previous_alike;
  }
}

}  // namespace clpool::core
