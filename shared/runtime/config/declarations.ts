import { z } from 'zod';
import { type Declarations, everywhere, onNode } from './declaration.ts';
import {
  accessKey,
  database,
  isBaseUrl,
  isKey,
  isLoopbackUrl,
  list,
  pem,
  some,
  text,
  urlKey,
  whole,
  word,
} from './values.ts';

export const processes = {
  HOST: {
    schema: text('a host name or address', (value) => /^[\w.:[\]-]+$/.test(value))
      .default('127.0.0.1')
      .describe('Address that the portal and the sidecar listen on.'),
    scope: onNode,
  },
  PORT: {
    schema: whole(65_535)
      .default(8443)
      .describe('Port of the portal. `npm run workers` uses 8787 by default.'),
    scope: ['portal', 'tooling'],
  },
  HEALTH_PORT: {
    schema: whole(65_535)
      .default(8100)
      .describe('Port of the sidecar, for the health check and the metrics.'),
    scope: ['sidecar'],
  },
  BASE_URL: {
    schema: text('https://host[:port], without a query, a fragment or a user', isBaseUrl)
      .transform((value) => value.replace(/\/+$/, ''))
      .optional()
      .describe(
        'Public address of the portal, issuer of its JWTs and audience of the JWTs of peers. Required on Workers and Lambda, and if `HOST` is not a loopback address.',
      ),
    scope: everywhere,
    computed: '`https://localhost:$PORT`; `http` with `TLS=off`',
  },
  PORTAL_TYPE: {
    schema: word('admin', 'user', 'universal')
      .default('universal')
      .describe(
        '`admin`: without the modules for clients and gateways. `user`: without administration. `universal`: all modules. The sidecar reports it with the portal of its host.',
      ),
    scope: everywhere,
  },
  PORTAL_NAME: {
    schema: text('at most 253 characters', (value) => value.length <= 253)
      .optional()
      .describe('Name of this portal in the list of portals of the installation.'),
    scope: everywhere,
    computed: 'the host name of the machine; on Workers and Lambda that of `BASE_URL`',
  },
  DATA_DIR: {
    schema: z
      .string()
      .default('.data')
      .describe('Folder of the embedded database, generated keys and generated certificates.'),
    scope: onNode,
  },
  CONFIG_FILE: {
    schema: some().describe('File of `KEY=value` lines. A variable of the environment overrides its line.'),
    scope: onNode,
    computed: '`$DATA_DIR/aggregator.conf`',
  },
  ADMIN_PASSWORD: {
    schema: some().describe(
      'Password of the first administrator `admin`, for a new database only. If it is not set, a password is generated and printed once.',
    ),
    scope: ['portal', 'tooling'],
    computed: 'generated',
    isSecret: true,
  },
} as const satisfies Declarations;

export const databases = {
  DATABASE_URL: {
    schema: database().describe(
      'PostgreSQL database, with the role of the portal. With it, `SECRET_KEY` and `AGGREGATOR_JWT_SSL_KEY` are required. Required on Workers and Lambda.',
    ),
    scope: everywhere,
    computed: 'the embedded database',
    isSecret: true,
  },
  DATABASE_OWNER_URL: {
    schema: database().describe(
      'The same database with the role that owns it, for migrations. Use a direct address, not a pooler.',
    ),
    scope: ['portal', 'tooling'],
    computed: '`DATABASE_URL`',
    isSecret: true,
  },
  DATABASE_SIDECAR_URL: {
    schema: database().describe(
      'The same database with the role of the sidecar, which uses the job queue and seals the audit log. The portal reads it to grant privileges.',
    ),
    scope: onNode,
    computed: '`DATABASE_URL`',
    isSecret: true,
  },
  DATABASE_READ_URL: {
    schema: database().describe(
      'A read replica (hot standby) of the database, with the role of the portal. It answers lists that may be some seconds old.',
    ),
    scope: ['portal', 'workers', 'lambda'],
    isSecret: true,
  },
  DATABASE_SIDECAR_READ_URL: {
    schema: database().describe(
      'The same replica with the role of the sidecar. It answers metrics, and the rows of exports are read there.',
    ),
    scope: ['portal', 'sidecar'],
    computed: '`DATABASE_READ_URL`, unless `DATABASE_SIDECAR_URL` is set',
    isSecret: true,
  },
  DATABASE_LISTEN_URL: {
    schema: database().describe(
      'The same database at a direct address, not a pooler, where the sidecar receives notifications of work, and the portal those of changes while a stream of changes is open. Without notifications the sidecar looks for work every five seconds, and the portal for changes every two.',
    ),
    scope: ['portal', 'sidecar'],
    computed: '`DATABASE_SIDECAR_URL`',
    isSecret: true,
  },
  DATABASE_MAY_SUSPEND: {
    schema: word('on', 'off')
      .default('off')
      .describe(
        'For a serverless database that suspends when it is not used, such as Neon. While no write is pending, the sidecar sends no statement.',
      ),
    scope: ['portal', 'sidecar', 'workers'],
  },
  DATABASE_DRIVER: {
    schema: word('pg', 'neon')
      .optional()
      .describe(
        '`pg`: PostgreSQL protocol. `neon`: HTTPS to a Neon database. Workers support `neon` only. Migrations always use `pg`.',
      ),
    scope: everywhere,
    computed: '`pg`; `neon` on Workers',
  },
  DATABASE_POOL_SIZE: {
    schema: whole(1_000, 1)
      .default(10)
      .describe(
        'Maximum number of connections of the portal to the database. A request that gets none within three seconds is answered with 503. A connection serves about 25 reads/s if a round trip takes 40 ms.',
      ),
    scope: ['portal'],
  },
  DATABASE_PREPARE: {
    schema: word('on', 'off')
      .default('on')
      .describe(
        'Prepared statements, with the driver `pg`. A pooler that does not support them is noticed, and they are turned off; `off` avoids the first failures.',
      ),
    scope: ['portal', 'sidecar', 'lambda'],
  },
  NEON_PROXY: {
    // The password of the database must not leave the machine over plain HTTP.
    schema: text('a URL of this machine', isLoopbackUrl)
      .optional()
      .describe('HTTP proxy of a local stand between the Neon driver and any PostgreSQL.'),
    scope: everywhere,
    isInternal: true,
  },
} as const satisfies Declarations;

export const keys = {
  SECRET_KEY: {
    schema: list('base64 of 32 bytes, or several separated by commas', isKey)
      .refine((entries) => entries.length > 0, 'at least one key')
      .optional()
      .describe(
        'Encrypts secrets in the database. Base64 of 32 bytes. During a rotation several keys, separated by commas: the first one encrypts, all of them decrypt. Required with `DATABASE_URL`.',
      ),
    scope: everywhere,
    computed: 'generated for the embedded database',
    isSecret: true,
  },
  AGGREGATOR_JWT_SSL_KEY: {
    schema: pem('PRIVATE KEY').describe(
      'Private key (EC or RSA) that signs JWTs for dispatchers, heartbeats and checkpoints of the audit log. Required with `DATABASE_URL`; on Workers and Lambda by the modules `aggregator`, `auth`, `client` and `webui`.',
    ),
    scope: everywhere,
    computed: 'generated for the embedded database',
    isSecret: true,
    holds: 'pem',
  },
  AGGREGATOR_JWT_SSL_KEY_SECOND: {
    schema: pem('PRIVATE KEY').describe(
      'Second key during a rotation, the former or the next one. It signs nothing; its public key is published too.',
    ),
    scope: everywhere,
    isSecret: true,
    holds: 'pem',
  },
  HEALTH_CHECK_ACCESS_KEY: {
    schema: accessKey().describe(
      'Key of the health check. Without it, the health check rejects all requests. `npm start` generates and prints it.',
    ),
    scope: onNode,
    computed: 'generated by `npm start` and `npm run deploy`',
    isSecret: true,
  },
  METRICS_ACCESS_KEY: {
    schema: accessKey().describe(
      'Key of the metrics. Without it, the metrics reject all requests. `npm start` generates and prints it.',
    ),
    scope: onNode,
    computed: 'generated by `npm start` and `npm run deploy`',
    isSecret: true,
  },
  HEALTH_CHECK_URL_KEY: {
    schema: urlKey().describe(
      'Key in the path of the health check, for monitors that cannot send headers. From 32 to 256 letters, digits, `-` and `_`.',
    ),
    scope: ['sidecar'],
    isSecret: true,
  },
} as const satisfies Declarations;
