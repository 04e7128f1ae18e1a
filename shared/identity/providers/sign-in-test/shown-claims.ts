import { escapeControls } from '../../../kernel/text.ts';

/** Claims that are secrets, or contain some: hashes of tokens, and the token for Microsoft Graph in `_claim_sources`. */
const secret = /token|secret|password|(?:^|_)hash$|^nonce$|^_claim_sources$/i;
const mostClaims = 100;
const longestValue = 2_048;
const longestName = 256;

/** The claims as JSON, bounded, without secrets. Lists of groups are cut. */
export const shownClaims = (claims: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(claims)
      .slice(0, mostClaims)
      .map(([name, value]) => [escapeControls(name.slice(0, longestName)), shown(name, value)]),
  );

function shown(name: string, value: unknown): string {
  if (secret.test(name)) return '•••';
  const text = JSON.stringify(value) ?? '';
  return text.length > longestValue ? `${text.slice(0, longestValue)}…` : text;
}
