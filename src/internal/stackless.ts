/**
 * Errors that say themselves where and why: a stack trace would lead to this library, and takes most of the time of
 * making one. Their `stack` is their first line.
 */
export const stackless = <C extends abstract new (...args: never) => Error>(Base: C): C =>
  new Proxy(Base, {
    construct: (target, args, newTarget) => {
      const limit = Error.stackTraceLimit
      // Where a host has frozen what is built in, errors keep their stack.
      if (!Reflect.set(Error, "stackTraceLimit", 0)) return Reflect.construct(target, args, newTarget)
      try {
        return Reflect.construct(target, args, newTarget)
      } finally {
        Error.stackTraceLimit = limit
      }
    }
  })
