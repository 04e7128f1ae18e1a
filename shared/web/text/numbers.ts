import { factsOf } from '../client/facts.ts';

const numbers = new Intl.NumberFormat(factsOf().language);

const sizes = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'].map(
  (unit) =>
    new Intl.NumberFormat(factsOf().language, {
      style: 'unit',
      unit,
      unitDisplay: unit === 'byte' ? 'long' : 'short',
      maximumSignificantDigits: 3,
    }),
);

/** A number of bytes, such as `4.2 MB`. */
export function sizeText(bytes: number): string {
  const power = bytes < 1_000 ? 0 : Math.min(sizes.length - 1, Math.floor(Math.log10(bytes) / 3));
  return sizes[power]?.format(bytes / 1_000 ** power) ?? String(bytes);
}

/** A number with the separators of the language. */
export const countText = (value: number): string => numbers.format(value);
