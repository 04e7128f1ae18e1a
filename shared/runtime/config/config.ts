import { z } from 'zod';
import { ConfigError } from '../../kernel/config-error.ts';
import { rdpSigningFaults, rdpSigningFrom } from './rdp-signing.ts';
import { s3Faults, s3From } from './s3.ts';

export type Env = Readonly<Record<string, string | undefined>>;

export type Config = ReturnType<typeof configFrom>;

/**
 * Reads every variable there is; an empty one counts as absent. Files are not read here: the variables that may
 * name one hold PEM text by now.
 * @throws ConfigError naming each bad variable and what is expected
 */
export function parseConfig(env: Env): Config {
  const given = Object.fromEntries(names.map((name) => [name, env[name] || undefined]));
  const parsed = variables.safeParse(given);
  if (!parsed.success) throw new ConfigError([...new Set(parsed.error.issues.map(lineOf))]);
  const faults = togetherFaults(parsed.data);
  if (faults.length > 0) throw new ConfigError(faults);
  return configFrom(parsed.data);
}

/** True for addresses and names that only this machine reaches. */
export function isLoopbackHost(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '');
  const url = `http://${bare.includes(':') ? `[${bare}]` : bare}`;
  // The URL parser brings every spelling of an address to one form.
  return URL.canParse(url) && loopback.test(new URL(url).hostname);
}

const loopback = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\]|\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\])$/;

const text = (expected: string, isValid: (value: string) => boolean) => z.string().refine(isValid, expected);
const word = <const T extends readonly [string, ...string[]]>(...words: T) =>
  z.enum(words, `one of ${words.join(', ')}`);
const whole = (max: number, min = 0) =>
  text(
    `a whole number from ${min} to ${max}`,
    (value) => /^\d{1,5}$/.test(value) && Number(value) >= min && Number(value) <= max,
  ).transform(Number);
const list = (expected: string, isValid: (entry: string) => boolean) =>
  text(expected, (value) => entriesOf(value).every(isValid)).transform(entriesOf);
const url = (expected: string, ...protocols: string[]) =>
  text(expected, (value) => URL.canParse(value) && protocols.includes(new URL(value).protocol));
const database = () =>
  url('a URL postgres://user:password@host:port/database', 'postgres:', 'postgresql:').optional();
/** Single-line files and some secret stores keep the line ends of PEM as `\n`. */
const pem = (kind: string) =>
  z
    .string()
    .transform((value) => value.replaceAll('\\n', '\n').trim())
    .refine((value) => isPem(value, kind), `PEM text of a ${kind.toLowerCase()}, or a file with it`)
    .optional();
const accessKey = () =>
  text('from 1 to 64 printable characters', (value) => /^[\x21-\x7e]{1,64}$/.test(value)).optional();
const urlKey = () =>
  text('from 32 to 256 letters, digits, - and _', (value) => /^[\w-]{32,256}$/.test(value)).optional();
const some = () => z.string().optional();

/** Each variable by its own; what one demands of another depends on who runs. */
export const variables = z.object({
  HOST: text('a host name or address', (value) => /^[\w.:[\]-]+$/.test(value)).default('127.0.0.1'),
  PORT: whole(65_535).default(8443),
  HEALTH_PORT: whole(65_535).default(8100),
  DATA_DIR: z.string().default('.data'),
  CONFIG_FILE: some(),
  DATABASE_URL: database(),
  DATABASE_OWNER_URL: database(),
  DATABASE_SIDECAR_URL: database(),
  DATABASE_DRIVER: word('pg', 'neon').optional(),
  // Of our own stands: a proxy in front of any PostgreSQL. The password must never go elsewhere by plain HTTP.
  NEON_PROXY: text('a URL of this machine', isLoopbackUrl).optional(),
  PORTAL_TYPE: word('admin', 'user', 'universal').default('universal'),
  PORTAL_NAME: text('at most 253 characters', (value) => value.length <= 253).optional(),
  BASE_URL: text('https://host[:port], without a query, a fragment or a user', isBaseUrl)
    .transform((value) => value.replace(/\/+$/, ''))
    .optional(),
  ADMIN_PASSWORD: some(),
  SECRET_KEY: list('base64 of 32 bytes, or several separated by commas', isKey)
    .refine((keys) => keys.length > 0, 'at least one key')
    .optional(),
  AGGREGATOR_JWT_SSL_KEY: pem('PRIVATE KEY'),
  AGGREGATOR_JWT_SSL_KEY_SECOND: pem('PRIVATE KEY'),
  HEALTH_CHECK_ACCESS_KEY: accessKey(),
  HEALTH_CHECK_URL_KEY: urlKey(),
  METRICS_ACCESS_KEY: accessKey(),
  TLS_CERT_FILE: some(),
  TLS_KEY_FILE: some(),
  TLS: word('on', 'off').default('on'),
  TRUST_PROXY: whole(100).default(0),
  MAX_CONNECTIONS: whole(65_535, 1).default(10_000),
  MAX_CONNECTIONS_PER_ADDRESS: whole(65_535, 1).default(1_000),
  HSTS: word('on', 'off').default('on'),
  ALLOWED_PRIVATE_NETWORKS: list('networks like 10.0.0.0/8, separated by commas', isNetwork).default([]),
  ALLOW_INSECURE_DISPATCHERS: word('0', '1').default('0'),
  S3_ENDPOINT: url('a URL https://host', 'https:', 'http:').optional(),
  S3_BUCKET: some(),
  S3_REGION: some(),
  S3_ACCESS_KEY_ID: some(),
  S3_SECRET_ACCESS_KEY: some(),
  FLUENTD_URL: url('a URL tls://host:port or tcp://host:port', 'tls:', 'tcp:').optional(),
  FLUENTD_SHARED_KEY: some(),
  SYSLOG_URL: url('a URL tls://host:port', 'tls:').optional(),
  RDP_SIGNING_CERT: pem('CERTIFICATE'),
  RDP_SIGNING_KEY: pem('PRIVATE KEY'),
  LOG_LEVEL: word('debug', 'info', 'warn', 'error').default('info'),
});

type Variables = z.infer<typeof variables>;

const isName = (name: string): name is keyof Variables => name in variables.shape;
/** Every variable that is known, in the order of the documentation. */
export const names: readonly (keyof Variables)[] = Object.keys(variables.shape).filter(isName);

/** One fault in the words that operators read. */
export const lineOf = ({ path, message }: { path: PropertyKey[]; message: string }): string =>
  `${String(path[0])}: must be ${message}`;

/** What one variable demands of another. */
function togetherFaults(given: Variables): string[] {
  const faults: string[] = [];
  const demand = (name: keyof Variables, why: string) => {
    // One line a variable, however many others demand it.
    const isNew = !faults.some((fault) => fault.startsWith(`${name}:`));
    if (given[name] === undefined && isNew) faults.push(`${name}: required ${why}`);
  };
  const databaseUrl = (['DATABASE_URL', 'DATABASE_SIDECAR_URL'] as const).find((name) => given[name]);
  if (databaseUrl) {
    demand('SECRET_KEY', `with ${databaseUrl}, so that all processes share it`);
    demand('AGGREGATOR_JWT_SSL_KEY', `with ${databaseUrl}, so that all processes share it`);
  }
  // The sidecar by itself may have a URL of its own only.
  if (given.DATABASE_DRIVER === 'neon' && !given.DATABASE_SIDECAR_URL)
    demand('DATABASE_URL', 'with DATABASE_DRIVER=neon');
  if (given.DATABASE_OWNER_URL) demand('DATABASE_URL', 'with DATABASE_OWNER_URL');
  if (!isLoopbackHost(given.HOST)) demand('BASE_URL', 'when HOST is not a loopback address');
  if (given.TLS === 'off' && !isLoopbackHost(given.HOST))
    faults.push('TLS: must be on unless HOST is a loopback address');
  if (given.TLS === 'on' && given.BASE_URL?.startsWith('http:'))
    faults.push('BASE_URL: must be an https URL while TLS is on');
  if (given.TLS_CERT_FILE) demand('TLS_KEY_FILE', 'with TLS_CERT_FILE');
  if (given.TLS_KEY_FILE) demand('TLS_CERT_FILE', 'with TLS_KEY_FILE');
  if (given.FLUENTD_SHARED_KEY) demand('FLUENTD_URL', 'with FLUENTD_SHARED_KEY');
  return [...faults, ...rdpSigningFaults(given), ...s3Faults(given)];
}

function configFrom(given: Variables) {
  const scheme = given.TLS === 'on' ? 'https' : 'http';
  const baseUrl = given.BASE_URL ?? `${scheme}://localhost:${given.PORT}`;
  return {
    host: given.HOST.replace(/^\[|\]$/g, ''),
    port: given.PORT,
    healthPort: given.HEALTH_PORT,
    dataDir: given.DATA_DIR,
    configFile: given.CONFIG_FILE ?? `${given.DATA_DIR}/aggregator.conf`,
    databaseUrl: given.DATABASE_URL,
    databaseOwnerUrl: given.DATABASE_OWNER_URL ?? given.DATABASE_URL,
    databaseSidecarUrl: given.DATABASE_SIDECAR_URL ?? given.DATABASE_URL,
    /** Absent: what the runtime does best, `neon` on Workers and `pg` elsewhere. */
    databaseDriver: given.DATABASE_DRIVER,
    neonProxy: given.NEON_PROXY,
    portalType: given.PORTAL_TYPE,
    /** Absent: the name of the host. */
    portalName: given.PORTAL_NAME,
    baseUrl,
    adminPassword: given.ADMIN_PASSWORD,
    /** Base64 of 32 bytes each; the first one seals, all of them open. */
    secretKey: given.SECRET_KEY ?? [],
    /** PEM (PKCS#8, SEC 1 or PKCS#1). */
    aggregatorJwtSslKey: given.AGGREGATOR_JWT_SSL_KEY,
    aggregatorJwtSslKeySecond: given.AGGREGATOR_JWT_SSL_KEY_SECOND,
    healthCheckAccessKey: given.HEALTH_CHECK_ACCESS_KEY,
    healthCheckUrlKey: given.HEALTH_CHECK_URL_KEY,
    metricsAccessKey: given.METRICS_ACCESS_KEY,
    ...networkFrom(given),
    s3: s3From(given),
    fluentdUrl: given.FLUENTD_URL,
    fluentdSharedKey: given.FLUENTD_SHARED_KEY,
    syslogUrl: given.SYSLOG_URL,
    rdpSigning: rdpSigningFrom(given),
    logLevel: given.LOG_LEVEL,
  };
}

const networkFrom = (given: Variables) => ({
  tlsCertFile: given.TLS_CERT_FILE,
  tlsKeyFile: given.TLS_KEY_FILE,
  tls: given.TLS === 'on',
  /** Proxies between the client and us; 0 believes no `X-Forwarded-*`. */
  trustProxy: given.TRUST_PROXY,
  maxConnections: given.MAX_CONNECTIONS,
  maxConnectionsPerAddress: given.MAX_CONNECTIONS_PER_ADDRESS,
  hsts: given.HSTS === 'on',
  allowedPrivateNetworks: given.ALLOWED_PRIVATE_NETWORKS,
  allowInsecureDispatchers: given.ALLOW_INSECURE_DISPATCHERS === '1',
});

function entriesOf(value: string): string[] {
  const entries = value.split(',').map((entry) => entry.trim());
  return entries.filter((entry) => entry !== '');
}

function isKey(value: string): boolean {
  return /^[A-Za-z0-9+/_-]{43}=?$/.test(value);
}

/** CIDR; no library, because every Worker reads this variable's neighbours and most need no addresses. */
function isNetwork(value: string): boolean {
  const [, base = '', bits = ''] = /^([^/]+)\/(\d{1,3})$/.exec(value) ?? [];
  if (base.includes(':')) return URL.canParse(`http://[${base}]`) && Number(bits) <= 128;
  return /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/.test(base) && Number(bits) <= 32;
}

/** `PRIVATE KEY` stands for its older spellings too: `EC PRIVATE KEY`, `RSA PRIVATE KEY`. */
function isPem(value: string, kind: string): boolean {
  const label = `(?:EC |RSA )?${kind}-----`;
  return new RegExp(`^-----BEGIN ${label}\\s[A-Za-z0-9+/=\\s]+-----END ${label}`).test(value);
}

function isLoopbackUrl(value: string): boolean {
  return URL.canParse(value) && isLoopbackHost(new URL(value).hostname);
}

function isBaseUrl(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, hostname, search, hash, username, password } = new URL(value);
  if (search + hash + username + password !== '' || /[?#]$/.test(value)) return false;
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname));
}
