#pragma once
// Atomic operations among all threads of the device; each returns what was there.

template <typename T> struct __hip_same { typedef T type; };

#define HIP_ATOMIC(name, builtin)                                                                \
  template <typename T> HIP_INLINE T name(T* at, typename __hip_same<T>::type value) {           \
    return builtin(at, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);                       \
  }

HIP_ATOMIC(atomicAdd, __hip_atomic_fetch_add)
HIP_ATOMIC(atomicMin, __hip_atomic_fetch_min)
HIP_ATOMIC(atomicMax, __hip_atomic_fetch_max)
HIP_ATOMIC(atomicAnd, __hip_atomic_fetch_and)
HIP_ATOMIC(atomicOr, __hip_atomic_fetch_or)
HIP_ATOMIC(atomicXor, __hip_atomic_fetch_xor)
HIP_ATOMIC(atomicExch, __hip_atomic_exchange)

#undef HIP_ATOMIC

template <typename T>
HIP_INLINE T atomicSub(T* at, typename __hip_same<T>::type value) { return atomicAdd(at, -value); }

template <typename T>
HIP_INLINE T atomicCAS(T* at, typename __hip_same<T>::type expected, typename __hip_same<T>::type value) {
  __hip_atomic_compare_exchange_strong(at, &expected, value, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                       __HIP_MEMORY_SCOPE_AGENT);
  return expected;
}
