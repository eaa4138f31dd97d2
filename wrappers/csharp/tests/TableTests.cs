// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The table of all wrappers in wrappers/README.md names what is there.
using System;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using NUnit.Framework;

namespace ClPool.Tests
{
    [TestFixture]
    public class TableTests
    {
        [Test]
        public void EveryNameIsThere()
        {
            string path = Environment.GetEnvironmentVariable("CLPOOL_WRAPPERS_README");
            if (path == null) Assert.Ignore("CLPOOL_WRAPPERS_README does not name the file with the table");
            string section = Regex.Split(Regex.Split(File.ReadAllText(path), "## Names")[1], "\n## ")[0];
            int found = 0;
            foreach (string line in section.Split('\n').Where(line => Regex.IsMatch(line, @"^\| [a-zA-Z]")))
                foreach (Match name in Regex.Matches(line.Split('|')[4], @"`([\w.]+)`"))
                {
                    Assert.IsTrue(Has(name.Groups[1].Value), name.Groups[1].Value);
                    found++;
                }
            Assert.Greater(found, 50);
        }

        private static bool Has(string name)
        {
            string[] parts = name.Split('.');
            Type type = typeof(Library).Assembly.GetType("ClPool." + parts[0]) ?? typeof(Library).Assembly.GetType("ClPool." + parts[0] + "`1");
            return type != null && type.IsPublic && (parts.Length == 1 || type.GetMember(parts[1]).Length != 0);
        }
    }
}
