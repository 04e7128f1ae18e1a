import { ConfigError } from '../../kernel/config-error.ts';
import { lineOf, variables } from '../config/config.ts';
import { rdpSigningFaults, rdpSigningFrom } from '../config/rdp-signing.ts';
import { s3Faults, s3From } from '../config/s3.ts';

/** Variables and bindings as a platform hands them over; bindings are no text and are not read here. */
export type EdgeEnv = Readonly<Record<string, unknown>>;
export type EdgeConfig = ReturnType<typeof configFrom>;
/** A variable that one module cannot do without and others need not have. */
export type Demand = 'AGGREGATOR_JWT_SSL_KEY';

const edgeVariables = variables.pick({
  DATABASE_URL: true,
  DATABASE_DRIVER: true,
  NEON_PROXY: true,
  PORTAL_TYPE: true,
  PORTAL_NAME: true,
  BASE_URL: true,
  HSTS: true,
  SECRET_KEY: true,
  AGGREGATOR_JWT_SSL_KEY: true,
  AGGREGATOR_JWT_SSL_KEY_SECOND: true,
  ALLOWED_PRIVATE_NETWORKS: true,
  ALLOW_INSECURE_DISPATCHERS: true,
  S3_ENDPOINT: true,
  S3_BUCKET: true,
  S3_REGION: true,
  S3_ACCESS_KEY_ID: true,
  S3_SECRET_ACCESS_KEY: true,
  RDP_SIGNING_CERT: true,
  RDP_SIGNING_KEY: true,
  LOG_LEVEL: true,
});

type Variables = ReturnType<typeof edgeVariables.parse>;

/** Every variable that a module deployed by itself reads. */
export const edgeNames: readonly string[] = Object.keys(edgeVariables.shape);
const always = ['DATABASE_URL', 'BASE_URL', 'SECRET_KEY'] as const;

/**
 * What one module deployed by itself, as a Worker or a Lambda function, is told. Nothing has a place of its own
 * here, so what several processes share must be given, and the public address cannot be guessed.
 * @throws ConfigError naming each bad or missing variable
 */
export function parseEdgeConfig(env: EdgeEnv, demands: readonly Demand[]): EdgeConfig {
  const given = Object.fromEntries(edgeNames.map((name) => [name, textOf(env[name])]));
  const parsed = edgeVariables.safeParse(given);
  const bad = parsed.error?.issues.map(lineOf) ?? [];
  const missing = [...always, ...demands].filter((name) => given[name] === undefined);
  const together = parsed.data ? [...rdpSigningFaults(parsed.data), ...s3Faults(parsed.data)] : [];
  const faults = [...bad, ...missing.map((name) => `${name}: required here`), ...together];
  if (!parsed.data || faults.length > 0) throw new ConfigError([...new Set(faults)]);
  return configFrom(parsed.data);
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

function configFrom(given: Variables) {
  const signingKeys = [given.AGGREGATOR_JWT_SSL_KEY, given.AGGREGATOR_JWT_SSL_KEY_SECOND];
  return {
    databaseUrl: given.DATABASE_URL ?? '',
    databaseDriver: given.DATABASE_DRIVER,
    neonProxy: given.NEON_PROXY,
    portalType: given.PORTAL_TYPE,
    portalName: given.PORTAL_NAME ?? new URL(given.BASE_URL ?? 'https://localhost').hostname,
    baseUrl: given.BASE_URL ?? '',
    secretKeys: given.SECRET_KEY ?? [],
    signingKeys: signingKeys.filter((key) => key !== undefined),
    outbound: {
      allowedNetworks: given.ALLOWED_PRIVATE_NETWORKS,
      allowInsecure: given.ALLOW_INSECURE_DISPATCHERS === '1',
    },
    s3: s3From(given),
    rdpSigning: rdpSigningFrom(given),
    logLevel: given.LOG_LEVEL,
  };
}
