// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
/**
 * The memory layer for OpenCL: pools that make allocation nearly free and waste little memory, the allocators under
 * them, the memory objects and transfers around them, and the facts about a device that one needs to use its memory
 * well.
 */
module org.clpool {
  exports org.clpool;
}
