import type { RequiredClaim } from '../../../../remotes/oidc/login/claims.ts';

/** Name and value of a setting `name=value`. */
export function pairOf(text: string): [name: string, value: string] {
  const at = text.indexOf('=');
  return [text.slice(0, at), text.slice(at + 1)];
}

/** The entries of one claim are alternatives, and those of several claims must all hold. */
export const requiredClaimsOf = (entries: readonly string[]): RequiredClaim[] =>
  [...Map.groupBy(entries.map(pairOf), ([claim]) => claim)].map(([claim, pairs]) => ({
    claim,
    values: pairs.map(([, value]) => value),
  }));
