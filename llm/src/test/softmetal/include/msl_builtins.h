// The values of [[thread_position_in_grid]] and the like, in whatever integer type or vector a kernel asks for.
template <class T> struct msl_three {
  static MSL_INLINE MSL_UNCHECKED T of(uint x, uint, uint) { return (T)x; }
};
template <class E> struct msl_three<E __attribute__((ext_vector_type(2)))> {
  typedef E V __attribute__((ext_vector_type(2)));
  static MSL_INLINE MSL_UNCHECKED V of(uint x, uint y, uint) { V v; v.x = (E)x; v.y = (E)y; return v; }
};
template <class E> struct msl_three<E __attribute__((ext_vector_type(3)))> {
  typedef E V __attribute__((ext_vector_type(3)));
  static MSL_INLINE MSL_UNCHECKED V of(uint x, uint y, uint z) { V v; v.x = (E)x; v.y = (E)y; v.z = (E)z; return v; }
};
#define MSL_BUILTIN(name, X, Y, Z)                                                                  \
  template <class T> MSL_INLINE MSL_UNCHECKED T msl_##name(const device msl_thread* t) {            \
    const device msl_group* g = t->group;                                                           \
    (void)g;                                                                                        \
    return msl_three<T>::of(X, Y, Z);                                                               \
  }
#define MSL_BUILTIN_3(name, value) MSL_BUILTIN(name, g->value[0], g->value[1], g->value[2])
#define MSL_BUILTIN_1(name, value) MSL_BUILTIN(name, value, 0, 0)
MSL_BUILTIN(thread_position_in_grid, g->position[0] * g->threads[0] + t->position[0],
            g->position[1] * g->threads[1] + t->position[1], g->position[2] * g->threads[2] + t->position[2])
MSL_BUILTIN_3(threadgroup_position_in_grid, position)
MSL_BUILTIN_1(thread_index_in_threadgroup, t->index)
MSL_BUILTIN_1(thread_index_in_simdgroup, t->index % 32)
MSL_BUILTIN_1(simdgroup_index_in_threadgroup, t->index / 32)
