import { activeDirectory } from './directory/active-directory.ts';
import { freeipa } from './directory/freeipa.ts';
import { ldap } from './directory/ldap.ts';
import type { DomainType } from './domain-type.ts';
import { internal } from './internal/internal.ts';
import { oidc } from './oidc/oidc.ts';

/** Every type of authentication domains, by its name in the API and in the database. */
export const domainTypes = {
  internal,
  ldap,
  active_directory: activeDirectory,
  freeipa,
  oidc,
} as const satisfies Record<string, DomainType>;

export type DomainTypeName = keyof typeof domainTypes;

/** The type of the initial domain of every installation. */
export const builtinType: DomainTypeName = 'internal';

const isName = (name: string): name is DomainTypeName => Object.hasOwn(domainTypes, name);

export const domainTypeNames = Object.keys(domainTypes).filter(isName) as [
  DomainTypeName,
  ...DomainTypeName[],
];

/** @throws Error for an unknown name, which no version of the portal has stored */
export function domainTypeOf(name: string): DomainType {
  if (!isName(name)) throw new Error(`There is no domain type ${name}`);
  return domainTypes[name];
}

/** The type with a name from a request; undefined for an unknown name. */
export const findDomainType = (name: unknown): DomainType | undefined =>
  typeof name === 'string' && isName(name) ? domainTypes[name] : undefined;

/** The names of the types with a property, for use in statements. */
export const typesWhere = (applies: (type: DomainType) => boolean): DomainTypeName[] =>
  domainTypeNames.filter((name) => applies(domainTypes[name]));

/**
 * Types whose administrators keep the installation manageable: the portal stores their passwords, whereas a provider
 * can be unreachable.
 */
export const administratorTypes = typesWhere(({ supports }) => supports.ownPassword);
