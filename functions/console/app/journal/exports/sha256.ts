/** SHA-256 of bytes that arrive in parts, because the digests of browsers need all bytes at once (FIPS 180-4). */
export type Sha256 = {
  add: (bytes: Uint8Array) => void;
  /** In hexadecimal. Nothing can be added afterwards. */
  digest: () => string;
};

const primes = [2];
for (let n = 3; primes.length < 64; n += 2) if (primes.every((prime) => n % prime !== 0)) primes.push(n);

const fractionOf = (root: number): number => Math.floor((root - Math.floor(root)) * 2 ** 32);
const constants = Uint32Array.from(primes, (prime) => fractionOf(Math.cbrt(prime)));

const blockBytes = 64;

export function createSha256(): Sha256 {
  const state = Uint32Array.from(primes.slice(0, 8), (prime) => fractionOf(Math.sqrt(prime)));
  const block = new Uint8Array(blockBytes);
  const words = new Uint32Array(64);
  let filled = 0;
  let total = 0;
  const add = (bytes: Uint8Array): void => {
    total += bytes.length;
    for (let at = 0; at < bytes.length; ) {
      const part = bytes.subarray(at, at + blockBytes - filled);
      block.set(part, filled);
      at += part.length;
      filled += part.length;
      if (filled < blockBytes) return;
      mix(state, block, words);
      filled = 0;
    }
  };
  const digest = (): string => {
    const bits = new DataView(new ArrayBuffer(8));
    bits.setBigUint64(0, BigInt(total) * 8n);
    const padding = new Uint8Array(((119 - (total % blockBytes)) % blockBytes) + 1);
    padding[0] = 0x80;
    add(padding);
    add(new Uint8Array(bits.buffer));
    return [...state].map((word) => word.toString(16).padStart(8, '0')).join('');
  };
  return { add, digest };
}

const turned = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

/** The words of a block: those of its bytes, and 48 that follow from them. */
function spread(block: Uint8Array, words: Uint32Array): void {
  const view = new DataView(block.buffer);
  for (let n = 0; n < 16; n += 1) words[n] = view.getUint32(4 * n);
  for (let n = 16; n < 64; n += 1) {
    const [near = 0, far = 0] = [words[n - 2], words[n - 15]];
    const low = turned(far, 7) ^ turned(far, 18) ^ (far >>> 3);
    const high = turned(near, 17) ^ turned(near, 19) ^ (near >>> 10);
    words[n] = (words[n - 16] ?? 0) + low + (words[n - 7] ?? 0) + high;
  }
}

function mix(state: Uint32Array, block: Uint8Array, words: Uint32Array): void {
  spread(block, words);
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let n = 0; n < 64; n += 1) {
    const choice = (e & f) ^ (~e & g);
    const first =
      h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + choice + (constants[n] ?? 0) + (words[n] ?? 0);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const second = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + majority;
    [h, g, f, e] = [g, f, e, (d + first) | 0];
    [d, c, b, a] = [c, b, a, (first + second) | 0];
  }
  for (const [at, word] of [a, b, c, d, e, f, g, h].entries()) state[at] = (state[at] ?? 0) + word;
}
