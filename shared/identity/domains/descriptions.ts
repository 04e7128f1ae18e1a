import { domainTypeNames, domainTypeOf } from './registry.ts';

const quoted = domainTypeNames.map((name) => `\`${name}\``);
const explained = domainTypeNames.map((name, at) => {
  const { hint } = domainTypeOf(name).about;
  return hint === undefined ? quoted[at] : `${quoted[at]} (${hint})`;
});
const listed = (texts: readonly unknown[]): string =>
  texts.length > 1 ? `${texts.slice(0, -1).join(', ')} or ${texts.at(-1)}` : texts.join('');

/** The names of the domain types in a sentence of the API document. */
export const typeNames = listed(quoted);

/** The names of the domain types, with a hint if the name is not self-explanatory. */
export const explainedTypeNames = listed(explained);
