// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The structs of src/Interop against the layout of the C ABI.
using System;
using System.IO;
using System.Reflection;
using System.Runtime.InteropServices;
using System.Text.RegularExpressions;
using NUnit.Framework;

namespace ClPool.Tests
{
    [TestFixture]
    public class LayoutTests
    {
        [Test]
        public void StructsHaveTheSizesAndOffsetsOfC()
        {
            string path = Environment.GetEnvironmentVariable("CLPOOL_ABI_LAYOUT");
            if (path == null) Assert.Ignore("CLPOOL_ABI_LAYOUT does not name the file with the layout");
            Assembly assembly = typeof(Library).Assembly;
            int compared = 0;
            foreach (string line in File.ReadAllLines(path))
            {
                Match size = Regex.Match(line, @"^\S+ (clpool_\w+): (\d+) bytes$");
                Match field = Regex.Match(line, @"^\S+ (clpool_\w+)\.(\w+): offset (\d+), (\d+) bytes$");
                if (!size.Success && !field.Success) continue;
                string name = (size.Success ? size : field).Groups[1].Value;
                Type type = assembly.GetType("ClPool.Interop." + name);
                Assert.IsNotNull(type);
                if (size.Success) Assert.AreEqual(int.Parse(size.Groups[2].Value), Marshal.SizeOf(type), name);
                else Assert.AreEqual(int.Parse(field.Groups[3].Value), (int)Marshal.OffsetOf(type, field.Groups[2].Value), line);
                compared++;
            }
            Assert.Greater(compared, 100);
        }

        [Test]
        public void VersionIsThatOfTheLibrary()
        {
            Assert.AreEqual(1, Library.VersionNumber / 1000000);
            Assert.IsTrue(Library.Version.StartsWith("1."));
        }
    }
}
