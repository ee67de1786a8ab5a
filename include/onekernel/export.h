// Marks what the shared library shows; everything else in it is hidden.
#ifndef ONEKERNEL_EXPORT_H_
#define ONEKERNEL_EXPORT_H_

#if defined(__GNUC__)
#define ONEKERNEL_EXPORT __attribute__((visibility("default")))
#else
#define ONEKERNEL_EXPORT
#endif

#endif  // ONEKERNEL_EXPORT_H_
