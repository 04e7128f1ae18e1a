import { bareHost } from '../../kernel/addresses/hosts.ts';
import { ConfigError } from '../../kernel/config-error.ts';
import { rdpSigningFaults, rdpSigningFrom } from './rdp-signing.ts';
import { s3Faults, s3From } from './s3.ts';
import { isLoopbackHost } from './values.ts';
import { names, type Variables, variables } from './variables.ts';

export type Env = Readonly<Record<string, string | undefined>>;

export type Config = ReturnType<typeof configFrom>;

/**
 * Parses all variables. An empty one counts as absent. No file is read here: a variable that may be the path of a file
 * already contains PEM text.
 * @throws ConfigError with each invalid variable and the expected value
 */
export function parseConfig(env: Env): Config {
  const values = Object.fromEntries(names.map((name) => [name, env[name] || undefined]));
  const parsed = variables.safeParse(values);
  if (!parsed.success) throw new ConfigError([...new Set(parsed.error.issues.map(lineOf))]);
  const faults = combinationFaults(parsed.data);
  if (faults.length > 0) throw new ConfigError(faults);
  return configFrom(parsed.data);
}

/** One line of a `ConfigError`. */
export const lineOf = ({ path, message }: { path: PropertyKey[]; message: string }): string =>
  `${String(path[0])}: must be ${message}`;

/** Checks that concern several variables. */
function combinationFaults(values: Variables): string[] {
  const faults: string[] = [];
  const demand = (name: keyof Variables, why: string) => {
    // One line per variable, even if several others require it.
    const isNew = !faults.some((fault) => fault.startsWith(`${name}:`));
    if (values[name] === undefined && isNew) faults.push(`${name}: required ${why}`);
  };
  const databaseUrl = (['DATABASE_URL', 'DATABASE_SIDECAR_URL'] as const).find((name) => values[name]);
  if (databaseUrl) {
    demand('SECRET_KEY', `with ${databaseUrl}, so that all processes share it`);
    demand('AGGREGATOR_JWT_SSL_KEY', `with ${databaseUrl}, so that all processes share it`);
  }
  // A separate sidecar may have only `DATABASE_SIDECAR_URL`.
  if (values.DATABASE_DRIVER === 'neon' && !values.DATABASE_SIDECAR_URL)
    demand('DATABASE_URL', 'with DATABASE_DRIVER=neon');
  if (values.DATABASE_OWNER_URL) demand('DATABASE_URL', 'with DATABASE_OWNER_URL');
  const readUrl = (['DATABASE_READ_URL', 'DATABASE_SIDECAR_READ_URL'] as const).find((name) => values[name]);
  if (readUrl && !values.DATABASE_SIDECAR_URL) demand('DATABASE_URL', `with ${readUrl}`);
  if (!isLoopbackHost(values.HOST)) demand('BASE_URL', 'when HOST is not a loopback address');
  if (values.TLS === 'off' && !isLoopbackHost(values.HOST))
    faults.push('TLS: must be on unless HOST is a loopback address');
  if (values.TLS === 'on' && values.BASE_URL?.startsWith('http:'))
    faults.push('BASE_URL: must be an https URL while TLS is on');
  if (values.TLS_CERT_FILE) demand('TLS_KEY_FILE', 'with TLS_CERT_FILE');
  if (values.TLS_KEY_FILE) demand('TLS_CERT_FILE', 'with TLS_KEY_FILE');
  if (values.FLUENTD_SHARED_KEY) demand('FLUENTD_URL', 'with FLUENTD_SHARED_KEY');
  return [...faults, ...rdpSigningFaults(values), ...s3Faults(values), ...mailFaults(values)];
}

/** A mail needs a server and a sender. */
function mailFaults({ SMTP_URL, SMTP_FROM }: Variables): string[] {
  if ((SMTP_URL === undefined) === (SMTP_FROM === undefined)) return [];
  return [SMTP_URL ? 'SMTP_FROM: required with SMTP_URL' : 'SMTP_URL: required with SMTP_FROM'];
}

function configFrom(values: Variables) {
  const scheme = values.TLS === 'on' ? 'https' : 'http';
  const baseUrl = values.BASE_URL ?? `${scheme}://localhost:${values.PORT}`;
  return {
    host: bareHost(values.HOST),
    port: values.PORT,
    healthPort: values.HEALTH_PORT,
    dataDir: values.DATA_DIR,
    configFile: values.CONFIG_FILE ?? `${values.DATA_DIR}/aggregator.conf`,
    ...databaseFrom(values),
    portalType: values.PORTAL_TYPE,
    /** Absent: the host name. */
    portalName: values.PORTAL_NAME,
    baseUrl,
    adminPassword: values.ADMIN_PASSWORD,
    /** Base64 of 32 bytes each. The first key seals; all keys open. */
    secretKey: values.SECRET_KEY ?? [],
    /** PEM (PKCS#8, SEC 1 or PKCS#1). */
    aggregatorJwtSslKey: values.AGGREGATOR_JWT_SSL_KEY,
    aggregatorJwtSslKeySecond: values.AGGREGATOR_JWT_SSL_KEY_SECOND,
    healthCheckAccessKey: values.HEALTH_CHECK_ACCESS_KEY,
    healthCheckUrlKey: values.HEALTH_CHECK_URL_KEY,
    metricsAccessKey: values.METRICS_ACCESS_KEY,
    ...networkFrom(values),
    s3: s3From(values),
    fluentdUrl: values.FLUENTD_URL,
    fluentdSharedKey: values.FLUENTD_SHARED_KEY,
    syslogUrl: values.SYSLOG_URL,
    smtpUrl: values.SMTP_URL,
    smtpFrom: values.SMTP_FROM,
    rdpSigning: rdpSigningFrom(values),
    logLevel: values.LOG_LEVEL,
  };
}

const databaseFrom = (values: Variables) => ({
  databaseUrl: values.DATABASE_URL,
  databaseOwnerUrl: values.DATABASE_OWNER_URL ?? values.DATABASE_URL,
  databaseSidecarUrl: values.DATABASE_SIDECAR_URL ?? values.DATABASE_URL,
  databaseReadUrl: values.DATABASE_READ_URL,
  databaseSidecarReadUrl:
    values.DATABASE_SIDECAR_READ_URL ?? (values.DATABASE_SIDECAR_URL ? undefined : values.DATABASE_READ_URL),
  databaseMaySuspend: values.DATABASE_MAY_SUSPEND === 'on',
  /** Absent: that of the sidecar. */
  databaseListenUrl: values.DATABASE_LISTEN_URL,
  /** Absent: the default of the runtime, `neon` on Workers and `pg` elsewhere. */
  databaseDriver: values.DATABASE_DRIVER,
  databasePoolSize: values.DATABASE_POOL_SIZE,
  databasePrepare: values.DATABASE_PREPARE === 'on',
  neonProxy: values.NEON_PROXY,
});

const networkFrom = (values: Variables) => ({
  tlsCertFile: values.TLS_CERT_FILE,
  tlsKeyFile: values.TLS_KEY_FILE,
  tls: values.TLS === 'on',
  /** Number of trusted proxies in front of the server; with 0 `X-Forwarded-*` headers are ignored. */
  trustProxy: values.TRUST_PROXY,
  maxConnections: values.MAX_CONNECTIONS,
  maxConnectionsPerAddress: values.MAX_CONNECTIONS_PER_ADDRESS,
  hsts: values.HSTS,
  allowedPrivateNetworks: values.ALLOWED_PRIVATE_NETWORKS,
  webhookNetworks: values.WEBHOOK_NETWORKS,
  allowInsecureDispatchers: values.ALLOW_INSECURE_DISPATCHERS === '1',
});
