import { factsOf } from '../client/facts.ts';

const numbers = new Intl.NumberFormat(factsOf().language);

/** A number with the separators of the language. */
export const countText = (value: number): string => numbers.format(value);
