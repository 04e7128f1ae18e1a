export type Cutter = {
  add(bytes: Uint8Array): Promise<void>;
  /** Gives out what is left. */
  flush(): Promise<void>;
};

/**
 * Cuts bytes that come in any lengths into pieces of exactly `size`; only what `flush` gives out is shorter. The piece is
 * reused as soon as `emit` has resolved.
 */
export function createCutter(size: number, emit: (piece: Uint8Array<ArrayBuffer>) => Promise<void>): Cutter {
  const piece = new Uint8Array(size);
  let filled = 0;
  const flush = async (): Promise<void> => {
    if (filled === 0) return;
    await emit(piece.subarray(0, filled));
    filled = 0;
  };
  return {
    add: async (bytes) => {
      for (let at = 0; at < bytes.length; ) {
        const taken = bytes.subarray(at, at + size - filled);
        piece.set(taken, filled);
        filled += taken.length;
        at += taken.length;
        if (filled === size) await flush();
      }
    },
    flush,
  };
}
