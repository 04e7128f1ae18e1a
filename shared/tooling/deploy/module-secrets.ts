import type { EdgeModule } from '../build/bundles.ts';

/** Names of variables that a module is told in secret. */
export type ModuleSecrets = {
  /** Without these it answers 500. */
  required: readonly string[];
  /** Of each, all variables or none. */
  groups: readonly SecretGroup[];
};

const secretGroups = {
  /** The former key during a rotation, or the next one. */
  SecondSigningKey: ['AGGREGATOR_JWT_SSL_KEY_SECOND'],
  /** Where exported files are fetched from, unless they are in the database. */
  ObjectStore: ['S3_ENDPOINT', 'S3_BUCKET', 'S3_REGION', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'],
  /** Signs the files that programs of RDP open. */
  RdpSigning: ['RDP_SIGNING_CERT', 'RDP_SIGNING_KEY'],
} as const;
export type SecretGroup = keyof typeof secretGroups;

export const variablesIn = (group: SecretGroup): readonly string[] => secretGroups[group];

const base: ModuleSecrets = { required: ['DATABASE_URL', 'SECRET_KEY'], groups: [] };
/** Of a module that signs what dispatchers, peers or auditors are shown. */
const signing = (...groups: SecretGroup[]): ModuleSecrets => ({
  required: [...base.required, 'AGGREGATOR_JWT_SSL_KEY'],
  groups: ['SecondSigningKey', ...groups],
});

const others: Partial<Record<EdgeModule, ModuleSecrets>> = {
  aggregator: signing(),
  auth: signing(),
  client: signing('RdpSigning'),
  webui: signing('ObjectStore'),
};

/** What a module deployed by itself is told in secret, on Workers and on Lambda alike. */
export const secretsOf = (module: EdgeModule): ModuleSecrets => others[module] ?? base;

/** @returns the secrets that a module cannot do without, given those that it has */
export function missingSecrets(module: EdgeModule, present: ReadonlySet<string>): string[] {
  const { required, groups } = secretsOf(module);
  const begun = groups.map(variablesIn).filter((names) => names.some((name) => present.has(name)));
  return [...required, ...begun.flat()].filter((name) => !present.has(name));
}
