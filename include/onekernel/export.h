// Marks what the shared library shows; everything else in it is hidden.
#ifndef ONEKERNEL_EXPORT_H_
#define ONEKERNEL_EXPORT_H_

#if defined(__GNUC__)
#define ONEKERNEL_EXPORT __attribute__((visibility("default")))
#define ONEKERNEL_HIDDEN __attribute__((visibility("hidden")))  // the inside of a class that is shown
#else
#define ONEKERNEL_EXPORT
#define ONEKERNEL_HIDDEN
#endif

#endif  // ONEKERNEL_EXPORT_H_
