// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// As much of NUnit 2.6 as the tests use, for runtimes where it cannot be had: attributes, assertions, a runner.
using System;
using System.Collections;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Reflection;

namespace NUnit.Framework
{
    [AttributeUsage(AttributeTargets.Class)]
    public sealed class TestFixtureAttribute : Attribute { }

    [AttributeUsage(AttributeTargets.Method)]
    public sealed class TestAttribute : Attribute { }

    [AttributeUsage(AttributeTargets.Method)]
    public sealed class SetUpAttribute : Attribute { }

    [AttributeUsage(AttributeTargets.Method)]
    public sealed class TearDownAttribute : Attribute { }

    public sealed class AssertionException : Exception { public AssertionException(string message) : base(message) { } }

    public sealed class IgnoreException : Exception { public IgnoreException(string message) : base(message) { } }

    public delegate void TestDelegate();

    public static class Assert
    {
        public static void IsTrue(bool condition, string message = null)
        {
            if (!condition) throw new AssertionException(message ?? "expected: true");
        }

        public static void IsFalse(bool condition, string message = null) { IsTrue(!condition, message ?? "expected: false"); }

        public static void IsNull(object value) { IsTrue(value == null, "expected: null, was: " + value); }

        public static void IsNotNull(object value) { IsTrue(value != null, "expected: not null"); }

        public static void AreSame(object expected, object actual) { IsTrue(ReferenceEquals(expected, actual), "not the same object"); }

        public static void AreEqual(object expected, object actual, string message = null)
        {
            IsTrue(Same(expected, actual), (message ?? "") + " expected: " + Show(expected) + ", was: " + Show(actual));
        }

        public static void AreEqual(double expected, double actual, double delta)
        {
            IsTrue(Math.Abs(expected - actual) <= delta, "expected: " + expected + ", was: " + actual);
        }

        public static void AreNotEqual(object expected, object actual)
        {
            IsTrue(!Same(expected, actual), "expected: anything but " + Show(expected));
        }

        public static void Greater(long larger, long smaller) { IsTrue(larger > smaller, larger + " is not greater than " + smaller); }

        public static void GreaterOrEqual(long larger, long smaller) { IsTrue(larger >= smaller, larger + " is less than " + smaller); }

        public static void LessOrEqual(long smaller, long larger) { IsTrue(smaller <= larger, smaller + " is greater than " + larger); }

        public static T Throws<T>(TestDelegate code) where T : Exception
        {
            try
            {
                code();
            }
            catch (Exception exception)
            {
                if (exception.GetType() == typeof(T)) return (T)exception;
                throw new AssertionException("expected: " + typeof(T) + ", was: " + exception);
            }
            throw new AssertionException("expected: " + typeof(T) + ", nothing was thrown");
        }

        public static void Ignore(string message) { throw new IgnoreException(message); }

        private static bool Same(object expected, object actual)
        {
            if (expected is IEnumerable && actual is IEnumerable && !(expected is string))
            {
                object[] first = ((IEnumerable)expected).Cast<object>().ToArray(), second = ((IEnumerable)actual).Cast<object>().ToArray();
                return first.Length == second.Length && first.Zip(second, Same).All(same => same);
            }
            if (IsWhole(expected) && IsWhole(actual)) return Convert.ToDecimal(expected) == Convert.ToDecimal(actual);
            return Equals(expected, actual);
        }

        private static bool IsWhole(object value)
        {
            return value is long || value is int || value is uint || value is ulong || value is byte || value is short || value is ushort;
        }

        private static string Show(object value)
        {
            return value is IEnumerable && !(value is string) ? string.Join(", ", ((IEnumerable)value).Cast<object>()) : value + "";
        }
    }

    public static class Runner
    {
        public static int Main(string[] arguments)
        {
            int failed = 0, ignored = 0, passed = 0;
            foreach (Type fixture in typeof(Runner).Assembly.GetTypes().OrderBy(type => type.Name))
            {
                if (fixture.GetCustomAttribute<TestFixtureAttribute>() == null) continue;
                object instance = Activator.CreateInstance(fixture);
                foreach (MethodInfo test in Having<TestAttribute>(fixture))
                {
                    string name = fixture.Name + "." + test.Name;
                    if (arguments.Length > 0 && !arguments.Any(name.Contains)) continue;
                    try
                    {
                        foreach (MethodInfo before in Having<SetUpAttribute>(fixture)) before.Invoke(instance, null);
                        try
                        {
                            test.Invoke(instance, null);
                        }
                        finally
                        {
                            foreach (MethodInfo after in Having<TearDownAttribute>(fixture)) after.Invoke(instance, null);
                        }
                        passed++;
                    }
                    catch (TargetInvocationException exception) when (exception.InnerException is IgnoreException)
                    {
                        ignored++;
                        Console.WriteLine("skipped " + name + ": " + exception.InnerException.Message);
                    }
                    catch (TargetInvocationException exception)
                    {
                        failed++;
                        Console.WriteLine("FAILED  " + name + ": " + exception.InnerException);
                    }
                }
            }
            Console.WriteLine(passed + " passed, " + failed + " failed, " + ignored + " skipped");
            return failed != 0 || passed == 0 ? 1 : 0;
        }

        private static IEnumerable<MethodInfo> Having<T>(Type fixture) where T : Attribute
        {
            return fixture.GetMethods().Where(method => method.GetCustomAttribute<T>() != null);
        }
    }
}
