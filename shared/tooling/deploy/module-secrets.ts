import type { EdgeModule } from '../build/bundles.ts';

/** Names of the secret variables of a module. */
export type ModuleSecrets = {
  /** Without these variables the module answers 500. */
  required: readonly string[];
  /** Groups of variables that are set all or none. */
  groups: readonly SecretGroup[];
};

const secretGroups = {
  /** The previous or next signing key during a rotation. */
  SecondSigningKey: ['AGGREGATOR_JWT_SSL_KEY_SECOND'],
  /** Object store of exported files; default: the database. */
  ObjectStore: ['S3_ENDPOINT', 'S3_BUCKET', 'S3_REGION', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'],
  /** Signs `.rdp` files. */
  RdpSigning: ['RDP_SIGNING_CERT', 'RDP_SIGNING_KEY'],
} as const;
export type SecretGroup = keyof typeof secretGroups;

export const variablesIn = (group: SecretGroup): readonly string[] => secretGroups[group];

const base: ModuleSecrets = { required: ['DATABASE_URL', 'SECRET_KEY'], groups: [] };
/** A module that signs tokens or documents for dispatchers, peers or auditors. */
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

/** The secrets of a module deployed on its own, on Workers and Lambda. */
export const secretsOf = (module: EdgeModule): ModuleSecrets => others[module] ?? base;

/** @returns the secrets that are missing in `present` */
export function missingSecrets(module: EdgeModule, present: ReadonlySet<string>): string[] {
  const { required, groups } = secretsOf(module);
  const begun = groups.map(variablesIn).filter((names) => names.some((name) => present.has(name)));
  return [...required, ...begun.flat()].filter((name) => !present.has(name));
}
