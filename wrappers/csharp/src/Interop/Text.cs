// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Texts between managed code (UTF-16) and the library (UTF-8, ended by a zero).
using System;
using System.Text;

namespace ClPool.Interop
{
    internal static unsafe class Utf8
    {
        /// <summary>Fills a buffer of the caller with text and tells how many bytes the whole needs.</summary>
        internal delegate int Writer(byte* text, ulong capacity, ulong* needed);

        /// <summary>A static text of the library; "" for NULL.</summary>
        internal static string Read(void* text) { return ReadOrNull(text) ?? ""; }

        /// <summary>The same; null for NULL.</summary>
        internal static string? ReadOrNull(void* text)
        {
            if (text == null) return null;
            byte* bytes = (byte*)text;
            int length = 0;
            while (bytes[length] != 0) length++;
            return length == 0 ? "" : Encoding.UTF8.GetString(CopyOf(bytes, length));
        }

        /// <summary>Bytes with their zero, to be pinned for a call; null for null.</summary>
        internal static byte[]? Bytes(string? text, string name)
        {
            if (text == null) return null;
            int zero = text.IndexOf('\0');
            if (zero >= 0) throw new ArgumentException("has a zero character at " + zero + ", where native code would take it to end", name);
            return Encoding.UTF8.GetBytes(text + "\0");
        }

        /// <summary>Asks for a text of unknown length, again as long as it grows meanwhile.</summary>
        internal static string Ask(Writer writer)
        {
            byte[] buffer = new byte[256];
            while (true)
            {
                ulong needed = 0;
                fixed (byte* text = buffer) Errors.Check(writer(text, (ulong)buffer.Length, &needed));
                if (needed <= (ulong)buffer.Length)
                    return Encoding.UTF8.GetString(buffer, 0, needed == 0 ? 0 : (int)needed - 1);
                buffer = new byte[checked((int)needed + 64)];
            }
        }

        private static byte[] CopyOf(byte* bytes, int length)
        {
            byte[] copy = new byte[length];
            for (int i = 0; i < length; i++) copy[i] = bytes[i];
            return copy;
        }
    }
}
