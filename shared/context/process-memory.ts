declare const isMemory: unique symbol;

/** The identity of what a process or isolate remembers between requests. It exists as long as its dependencies. */
export type ProcessMemory = { readonly [isMemory]?: never };

export const createProcessMemory = (): ProcessMemory => ({});

/**
 * Declares a value that is kept in memory between the requests of one process or isolate. Copies of the dependencies,
 * as made for transactions and flights, share it.
 */
export function perProcess<T>(create: () => T): (deps: { memory: ProcessMemory }) => T {
  const values = new WeakMap<ProcessMemory, T>();
  return ({ memory }) => {
    const value = values.get(memory) ?? create();
    values.set(memory, value);
    return value;
  };
}
