const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const bitsEach = 5;

/** RFC 4648, section 6, for whole groups of five bytes, which need no padding. */
export const toBase32 = (bytes: Uint8Array): string =>
  groups(bytes, 8, bitsEach)
    .map((value) => alphabet[value])
    .join('');

/** The inverse of `toBase32`. */
export const fromBase32 = (text: string): Uint8Array =>
  Uint8Array.from(
    groups(
      [...text].map((letter) => alphabet.indexOf(letter)),
      bitsEach,
      8,
    ),
  );

/** Regroups bits to numbers of another width. Incomplete bits at the end are dropped. */
function groups(numbers: Iterable<number>, from: number, to: number): number[] {
  const bits = Array.from(numbers, (number) => number.toString(2).padStart(from, '0')).join('');
  return Array.from({ length: Math.floor(bits.length / to) }, (_, at) =>
    Number.parseInt(bits.slice(at * to, (at + 1) * to), 2),
  );
}
