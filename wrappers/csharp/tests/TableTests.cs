// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The tables of the manual and of wrappers/README.md name what is there, and so does C#'s page of five minutes.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using NUnit.Framework;

namespace ClPool.Tests
{
    [TestFixture]
    public class TableTests
    {
        private static readonly Regex code = new Regex("`([^`]+)`");
        private static readonly Regex name = new Regex(@"^([A-Z]\w*)(?:\.(\w+))?(?:\(.*\))?$");

        [Test]
        public void EveryNameInATableIsThere()
        {
            List<string> pages = new List<string> { Path.Combine(Root(), "wrappers", "README.md"), Path.Combine(Root(), "capi", "README.md") };
            pages.AddRange(Directory.GetFiles(Path.Combine(Root(), "docs"), "*.md", SearchOption.AllDirectories));
            List<string> wrong = new List<string>();
            Assert.Greater(pages.Sum(page => CheckTables(page, wrong)), 80);
            Assert.AreEqual("", string.Join("\n", wrong));
        }

        [Test]
        public void EveryNameOnTheFirstPageIsThere()
        {
            string page = Path.Combine(Root(), "docs", "start", "csharp.md");
            List<string> wrong = new List<string>();
            IEnumerable<Match> names = Regex.Matches(File.ReadAllText(page), @"`(?!FirstPool)[A-Z]\w*\.\w+(?:\(.*?\))?`").Cast<Match>();
            Assert.Greater(names.Sum(found => Check(page, found.Value, wrong)), 1);
            Assert.AreEqual("", string.Join("\n", wrong));
        }

        private static string Root()
        {
            string root = Environment.GetEnvironmentVariable("CLPOOL_ROOT");
            if (root == null) Assert.Ignore("CLPOOL_ROOT does not name the folder of the sources");
            return root;
        }

        /// <summary>What a table says of C#: in a column with that head, but the first, or in a row that begins with it.</summary>
        private static int CheckTables(string page, List<string> wrong)
        {
            int found = 0, column = -1; // 0: none
            foreach (string line in File.ReadAllLines(page))
            {
                string[] cells = line.Split('|');
                if (!line.StartsWith("|", StringComparison.Ordinal)) column = -1;
                else if (column < 0) column = Math.Max(0, Array.FindIndex(cells, 2, cell => Regex.IsMatch(cell.Trim(), @"^C#( \(.*)?$")));
                else if (column > 0 && column < cells.Length) found += Check(page, cells[column], wrong);
                else if (column == 0 && cells.Length > 1 && cells[1].Trim() == "C#") found += Check(page, line, wrong);
            }
            return found;
        }

        private static int Check(string page, string text, List<string> wrong)
        {
            MatchCollection codes = code.Matches(text);
            foreach (Match found in codes)
                if (!Has(name.Match(found.Groups[1].Value))) wrong.Add(page + ": " + found.Groups[1].Value);
            return codes.Count;
        }

        private static bool Has(Match name)
        {
            string type = "ClPool." + name.Groups[1].Value;
            Type known = typeof(Library).Assembly.GetType(type) ?? typeof(Library).Assembly.GetType(type + "`1");
            return name.Success && known != null && known.IsPublic &&
                   (!name.Groups[2].Success || known.GetMember(name.Groups[2].Value).Length != 0);
        }
    }
}
