import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createChunker } from '../../../shared/kernel/chunker.ts';

describe('a chunker', () => {
  it('returns the same bytes in chunks of one size, only the last one shorter', async () => {
    const property = fc.asyncProperty(
      fc.array(fc.uint8Array({ maxLength: 50 })),
      fc.integer({ min: 1, max: 20 }),
      async (inputs, size) => {
        const pieces: Buffer[] = [];
        const chunker = createChunker(size, async (piece) => void pieces.push(Buffer.from(piece)));
        for (const input of inputs) await chunker.add(input);
        await chunker.flush();
        expect(Buffer.concat(pieces)).toEqual(Buffer.concat(inputs));
        expect(pieces.slice(0, -1).every(({ length }) => length === size)).toBe(true);
        expect(pieces.every(({ length }) => length > 0 && length <= size)).toBe(true);
      },
    );
    await fc.assert(property);
  });
});
