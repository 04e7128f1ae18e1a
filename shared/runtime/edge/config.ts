import { ConfigError } from '../../kernel/config-error.ts';
import { lineOf } from '../config/config.ts';
import { rdpSigningFaults, rdpSigningFrom } from '../config/rdp-signing.ts';
import { s3Faults, s3From } from '../config/s3.ts';
import { variablesIn } from '../config/variables.ts';

/** Variables and bindings as provided by the platform. Bindings are not strings and are ignored here. */
export type EdgeEnv = Readonly<Record<string, unknown>>;
export type EdgeConfig = ReturnType<typeof configFrom>;
/** A variable that is required by some modules only. */
export type RequiredVariable = 'AGGREGATOR_JWT_SSL_KEY';

const edgeVariables = variablesIn('workers', 'lambda');

type Variables = ReturnType<typeof edgeVariables.parse>;

/** All variables that a module deployed on its own reads. */
export const edgeNames: readonly string[] = Object.keys(edgeVariables.shape);
const always = ['DATABASE_URL', 'BASE_URL', 'SECRET_KEY'] as const;

/**
 * Parses the settings of a module deployed on its own, as a Worker or a Lambda function. There is no data folder, so
 * shared secrets and the public address must be configured.
 * @throws ConfigError with each invalid or missing variable
 */
export function parseEdgeConfig(env: EdgeEnv, demands: readonly RequiredVariable[]): EdgeConfig {
  const values = Object.fromEntries(edgeNames.map((name) => [name, textOf(env[name])]));
  const parsed = edgeVariables.safeParse(values);
  const bad = parsed.error?.issues.map(lineOf) ?? [];
  const missing = [...always, ...demands].filter((name) => values[name] === undefined);
  const together = parsed.data ? [...rdpSigningFaults(parsed.data), ...s3Faults(parsed.data)] : [];
  const faults = [...bad, ...missing.map((name) => `${name}: required here`), ...together];
  if (!parsed.data || faults.length > 0) throw new ConfigError([...new Set(faults)]);
  return configFrom(parsed.data);
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

function configFrom(values: Variables) {
  const signingKeys = [values.AGGREGATOR_JWT_SSL_KEY, values.AGGREGATOR_JWT_SSL_KEY_SECOND];
  return {
    databaseUrl: values.DATABASE_URL ?? '',
    databaseReadUrl: values.DATABASE_READ_URL,
    databaseDriver: values.DATABASE_DRIVER,
    databasePrepare: values.DATABASE_PREPARE === 'on',
    neonProxy: values.NEON_PROXY,
    portalType: values.PORTAL_TYPE,
    portalName: values.PORTAL_NAME ?? new URL(values.BASE_URL ?? 'https://localhost').hostname,
    baseUrl: values.BASE_URL ?? '',
    secretKeys: values.SECRET_KEY ?? [],
    signingKeys: signingKeys.filter((key) => key !== undefined),
    outbound: {
      allowedNetworks: values.ALLOWED_PRIVATE_NETWORKS,
      allowInsecure: values.ALLOW_INSECURE_DISPATCHERS === '1',
    },
    webhookNetworks: values.WEBHOOK_NETWORKS,
    s3: s3From(values),
    rdpSigning: rdpSigningFrom(values),
    logLevel: values.LOG_LEVEL,
  };
}
