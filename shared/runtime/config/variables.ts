import { z } from 'zod';
import type { Declaration, Scope } from './declaration.ts';
import { databases, keys, processes } from './declarations.ts';
import { logs, network, objectStore, outbound, signedFiles } from './network-declarations.ts';

/** All environment variables. The configuration page has them in this order. */
export const declarations = {
  ...processes,
  ...databases,
  ...keys,
  ...network,
  ...outbound,
  ...objectStore,
  ...signedFiles,
  ...logs,
} as const;

type All = typeof declarations;
type VariableName = keyof All;
type ScopeOf<N extends VariableName> = All[N]['scope'][number];
type Shape<S extends Scope> = {
  [N in VariableName as Extract<ScopeOf<N>, S> extends never ? never : N]: All[N]['schema'];
};

const entries: readonly (readonly [string, Declaration])[] = Object.entries(declarations);

/** The schema of the variables that have an effect in at least one of the scopes. */
export function variablesIn<S extends Scope>(...scopes: readonly S[]) {
  const selected: readonly Scope[] = scopes;
  const shape = entries
    .filter(([, { scope }]) => scope.some((one) => selected.includes(one)))
    .map(([name, { schema }]) => [name, schema]);
  // `Shape` applies the same filter to the types.
  return z.object(Object.fromEntries(shape) as Shape<S>);
}

/** The schema of all variables. Each is checked by itself; config.ts checks combinations. */
export const variables = variablesIn<Scope>('portal', 'sidecar', 'workers', 'lambda', 'tooling');

export type Variables = z.infer<typeof variables>;

const isName = (name: string): name is keyof Variables => name in variables.shape;
/** The names of all variables, in the order of the documentation. */
export const names: readonly (keyof Variables)[] = Object.keys(variables.shape).filter(isName);

/** The names of the variables that contain a path or PEM text. */
export const namesThatHold = (kind: NonNullable<Declaration['holds']>): string[] =>
  entries.filter(([, { holds }]) => holds === kind).map(([name]) => name);
