import type { EdgeModule } from './bundles.ts';

/** Names of variables that a module is told in secret. */
export type ModuleSecrets = {
  /** Without these it answers 500. */
  required: readonly string[];
  /** Each may be added. */
  optional: readonly string[];
  /** All of them, or none. */
  together: readonly string[];
};

const base: ModuleSecrets = { required: ['DATABASE_URL', 'SECRET_KEY'], optional: [], together: [] };
/** Of a module that signs what dispatchers are shown; the second key is that of a rotation. */
const signing: ModuleSecrets = {
  ...base,
  required: [...base.required, 'AGGREGATOR_JWT_SSL_KEY'],
  optional: ['AGGREGATOR_JWT_SSL_KEY_SECOND'],
};

const others: Partial<Record<EdgeModule, ModuleSecrets>> = {
  auth: signing,
  client: signing,
  // Where exported files are fetched from, unless they are in the database.
  webui: {
    ...signing,
    together: ['S3_ENDPOINT', 'S3_BUCKET', 'S3_REGION', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'],
  },
};

/** What a module deployed by itself is told in secret, on Workers and on Lambda alike. */
export const secretsOf = (module: EdgeModule): ModuleSecrets => others[module] ?? base;

/** @returns the secrets that a module cannot do without, given those that it has */
export function missingSecrets(module: EdgeModule, present: ReadonlySet<string>): string[] {
  const { required, together } = secretsOf(module);
  const hasSome = together.some((name) => present.has(name));
  return [...required, ...(hasSome ? together : [])].filter((name) => !present.has(name));
}
