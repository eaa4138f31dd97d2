// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What the assembly for modern .NET says of null: a compiler with nullable reference types warns where it matters.
#if NET
using System.Linq;
using System.Reflection;
using NUnit.Framework;

namespace ClPool.Tests
{
    [TestFixture]
    public class NullabilityTests
    {
        private static readonly NullabilityInfoContext context = new NullabilityInfoContext();

        private static NullabilityState Result(MethodInfo method) { return context.Create(method.ReturnParameter).ReadState; }

        [Test]
        public void ResultsSayWhetherTheyMayBeMissing()
        {
            foreach (MethodInfo allocate in typeof(MemoryPool).GetMethods().Where(method => method.Name == "Allocate"))
                Assert.AreEqual(NullabilityState.NotNull, Result(allocate));
            foreach (MethodInfo tried in typeof(MemoryPool).GetMethods().Where(method => method.Name == "TryAllocate"))
                Assert.AreEqual(NullabilityState.Nullable, Result(tried));
            Assert.AreEqual(NullabilityState.Nullable, Result(typeof(Characterization).GetMethod("ComputeCapability")));
            Assert.AreEqual(NullabilityState.NotNull, Result(typeof(Library).GetMethod("Describe")));
        }

        [Test]
        public void OptionsAndArgumentsSayWhetherTheyMayBeLeftOut()
        {
            Assert.AreEqual(NullabilityState.Nullable, context.Create(typeof(PoolOptions).GetProperty("Name")).WriteState);
            Assert.AreEqual(NullabilityState.Nullable, context.Create(typeof(PoolOptions).GetProperty("Collect")).WriteState);
            MethodInfo again = typeof(MemoryPool).GetMethod("Allocate", new[] { typeof(long), typeof(PooledBuffer) });
            Assert.AreEqual(NullabilityState.Nullable, context.Create(again.GetParameters()[1]).WriteState);
            ParameterInfo[] copy = typeof(MemoryObject).GetMethods().Single(method => method.Name == "CopyTo" && method.ReturnType == typeof(ClEvent))
                                                       .GetParameters();
            Assert.AreEqual(NullabilityState.NotNull, context.Create(copy.Single(one => one.Name == "queue")).WriteState);
            Assert.AreEqual(NullabilityState.NotNull, context.Create(copy.Single(one => one.Name == "target")).WriteState);
            Assert.AreEqual(NullabilityState.Nullable, context.Create(copy.Single(one => one.Name == "waitFor")).WriteState);
        }

        [Test]
        public void NothingPublicIsLeftOpen()
        {
            foreach (System.Type type in typeof(MemoryPool).Assembly.GetExportedTypes())
            {
                BindingFlags own = BindingFlags.Public | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly;
                foreach (MethodBase member in type.GetMethods(own).Cast<MethodBase>().Concat(type.GetConstructors(own)))
                    foreach (ParameterInfo parameter in member.GetParameters())
                        if (!parameter.ParameterType.IsValueType && !parameter.ParameterType.IsPointer && !parameter.ParameterType.IsByRef &&
                            !parameter.ParameterType.IsGenericParameter && type.BaseType != typeof(System.MulticastDelegate))
                            Assert.IsTrue(context.Create(parameter).WriteState != NullabilityState.Unknown,
                                          type.Name + "." + member.Name + ": " + parameter.Name);
            }
        }
    }
}
#endif
