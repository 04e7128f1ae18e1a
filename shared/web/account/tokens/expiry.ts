/** Days for which a token can be valid, as the form offers them. The API allows 366. */
export const lifetimes = ['7', '30', '90', '365'] as const;
export type Lifetime = (typeof lifetimes)[number];

/** @returns the end of a token that is created at `now`, in ISO 8601 */
export const endOf = (lifetime: Lifetime, now: number): string =>
  new Date(now + Number(lifetime) * 86_400_000).toISOString();

/** Permissions by their resource, in their order: `sites.read` is `['sites', ['read']]`. */
export function byResource(permissions: readonly string[]): [string, string[]][] {
  const groups = Map.groupBy(permissions, (permission) => permission.split('.')[0] ?? '');
  return [...groups].map(([resource, all]) => [resource, all.map((one) => one.slice(resource.length + 1))]);
}
