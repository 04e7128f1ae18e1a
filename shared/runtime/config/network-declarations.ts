import { hstsChoices } from '../node/transport-security.ts';
import { answers, type Declarations, everywhere, node } from './declaration.ts';
import { isNetwork, list, pem, some, text, url, whole, word } from './values.ts';

export const network = {
  TLS: {
    schema: word('on', 'off')
      .default('on')
      .describe(
        '`off`: plain HTTP behind a proxy that terminates TLS. Allowed only if `HOST` is a loopback address.',
      ),
    scope: node,
  },
  TLS_CERT_FILE: {
    schema: some().describe('PEM file with the certificate chain of both ports. Requires `TLS_KEY_FILE`.'),
    scope: node,
    computed: 'a certificate of a private authority in `$DATA_DIR/tls`',
    holds: 'path',
  },
  TLS_KEY_FILE: {
    schema: some().describe('PEM file with the private key of the certificate. Requires `TLS_CERT_FILE`.'),
    scope: node,
    holds: 'path',
  },
  TRUST_PROXY: {
    schema: whole(100)
      .default(0)
      .describe('Number of proxies in front whose `X-Forwarded-For` and `X-Forwarded-Proto` are trusted.'),
    scope: node,
  },
  MAX_CONNECTIONS: {
    schema: whole(65_535, 1)
      .default(10_000)
      .describe('Maximum number of open connections of each port. Idle connections are closed first.'),
    scope: node,
  },
  MAX_CONNECTIONS_PER_ADDRESS: {
    schema: whole(65_535, 1)
      .default(1_000)
      .describe('The same per IPv4 address or IPv6 /64 network. No effect if `TRUST_PROXY` is above 0.'),
    scope: node,
  },
  HSTS: {
    schema: word(...hstsChoices)
      .default('on')
      .describe(
        '`Strict-Transport-Security`: `on` for the host of `BASE_URL`, `subdomains` also for all hosts below it, `off` without. The header is sent only if `BASE_URL` is https and not a loopback address.',
      ),
    scope: everywhere,
  },
} as const satisfies Declarations;

export const outbound = {
  ALLOWED_PRIVATE_NETWORKS: {
    schema: list('networks like 10.0.0.0/8, separated by commas', isNetwork)
      .default([])
      .describe(
        'Private networks of dispatchers, directories and KDCs in CIDR notation, separated by commas. Other private addresses are rejected.',
      ),
    scope: everywhere,
  },
  WEBHOOK_NETWORKS: {
    schema: list('networks like 10.0.0.0/8, separated by commas', isNetwork)
      .default([])
      .describe(
        'Private networks of webhook receivers in CIDR notation, separated by commas. Other private addresses are rejected, also those of `ALLOWED_PRIVATE_NETWORKS`. On Workers and Lambda only the module `webui` uses it.',
      ),
    scope: everywhere,
  },
  ALLOW_INSECURE_DISPATCHERS: {
    schema: word('0', '1')
      .default('0')
      .describe('`1`: certificates of dispatchers are not verified. For test systems only.'),
    scope: everywhere,
  },
} as const satisfies Declarations;

export const objectStore = {
  S3_ENDPOINT: {
    schema: url('a URL https://host', 'https:', 'http:')
      .optional()
      .describe(
        'Object store for exported files. All five `S3_…` variables are required together. On Workers and Lambda only the module `webui` uses them.',
      ),
    scope: everywhere,
    computed: 'files are stored in the database',
  },
  S3_BUCKET: { schema: some().describe('Name of the bucket.'), scope: everywhere },
  S3_REGION: { schema: some().describe('Region of the bucket.'), scope: everywhere },
  S3_ACCESS_KEY_ID: { schema: some().describe('Access key ID.'), scope: everywhere },
  S3_SECRET_ACCESS_KEY: { schema: some().describe('Secret access key.'), scope: everywhere, isSecret: true },
} as const satisfies Declarations;

export const signedFiles = {
  RDP_SIGNING_CERT: {
    schema: pem('CERTIFICATE').describe(
      'Certificate that signs `.rdp` files, with its intermediate certificates. Requires `RDP_SIGNING_KEY`. On Workers and Lambda only the module `client` uses both.',
    ),
    scope: answers,
    holds: 'pem',
  },
  RDP_SIGNING_KEY: {
    schema: pem('PRIVATE KEY').describe('RSA private key of the certificate.'),
    scope: answers,
    isSecret: true,
    holds: 'pem',
  },
} as const satisfies Declarations;

export const logs = {
  FLUENTD_URL: {
    schema: url('a URL tls://host:port or tcp://host:port', 'tls:', 'tcp:')
      .optional()
      .describe(
        'Fluentd that receives the audit log (forward protocol), `tls://host:port` or `tcp://host:port`.',
      ),
    scope: ['sidecar'],
  },
  FLUENTD_SHARED_KEY: {
    schema: some().describe('Shared key for the handshake with Fluentd. Requires `FLUENTD_URL`.'),
    scope: ['sidecar'],
    isSecret: true,
  },
  SYSLOG_URL: {
    schema: url('a URL tls://host:port', 'tls:')
      .optional()
      .describe('Syslog server that receives the audit log (RFC 5424 over TLS), `tls://host:port`.'),
    scope: ['sidecar'],
  },
  SMTP_URL: {
    schema: url('a URL smtps://user:password@host:port or smtp://…', 'smtps:', 'smtp:')
      .optional()
      .describe(
        'Mail server for critical monitoring records, `smtps://user:password@host:port` or `smtp://…` with STARTTLS. The certificate is verified. Requires `SMTP_FROM`.',
      ),
    scope: ['sidecar'],
    isSecret: true,
  },
  SMTP_FROM: {
    schema: text('an e-mail address', (value) => /^[\w.+-]{1,64}@[A-Za-z0-9.-]{1,253}$/.test(value))
      .optional()
      .describe('Sender of the mails. Requires `SMTP_URL`.'),
    scope: ['sidecar'],
  },
  LOG_LEVEL: {
    schema: word('debug', 'info', 'warn', 'error')
      .default('info')
      .describe('Minimum level of log lines. Logs are JSON lines on standard error, one per request.'),
    scope: everywhere,
  },
} as const satisfies Declarations;
