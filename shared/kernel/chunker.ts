export type Chunker = {
  add(bytes: Uint8Array): Promise<void>;
  /** Emits the remaining bytes. */
  flush(): Promise<void>;
};

/**
 * Splits a stream of bytes into pieces of exactly `size` bytes; only the piece emitted by `flush` may be shorter. The
 * buffer of a piece is reused after `emit` has resolved.
 */
export function createChunker(
  size: number,
  emit: (piece: Uint8Array<ArrayBuffer>) => Promise<void>,
): Chunker {
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
