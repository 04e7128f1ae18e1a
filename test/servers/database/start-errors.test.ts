import { execFileSync } from 'node:child_process';
import { chownSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prepareSchema } from '../../../shared/tooling/start/prepared-database.ts';
import {
  findBinaries,
  freePort,
  startThrowawayPostgres,
  type ThrowawayPostgres,
} from '../../../shared/tooling/start/throwaway-postgres.ts';
import { ensureLocalTls } from '../../../shared/tooling/start/tls/local-tls.ts';
import { bareVariables, freePorts } from '../../e2e/support/portal-process.ts';
import { query } from '../../support/database/database.ts';
import { newKeyVariables } from '../../support/identity/signing-keys.ts';
import { programs, refusedStart } from '../../support/processes/refused-start.ts';
import { type Standby, startStandby } from '../../support/replication/postgres-standby.ts';
import { requireService } from '../../support/services.ts';

const binaries = findBinaries();
const isRoot = process.getuid?.() === 0;
const nobody = 65_534;

let folder: string;
let server: ThrowawayPostgres;
let standby: Standby;
let ports: number[];
let unused: number;
const doors: Server[] = [];
let web: number;
let closing: number;

const keys = {
  ...newKeyVariables(),
};

/** The server with another user, password, database or port. */
function urlOf(login: string, database = 'aggregator', port = Number(new URL(server.url).port)): string {
  return `postgres://${login}@127.0.0.1:${port}/${database}`;
}

async function portOf(door: Server): Promise<number> {
  doors.push(door);
  return new Promise((resolve) => {
    door.listen(0, '127.0.0.1', () => {
      const address = door.address();
      resolve(typeof address === 'object' && address ? address.port : 0);
    });
  });
}

/** Server authentication as in production: passwords, one user by TLS only. */
async function secure(): Promise<void> {
  const data = join(server.folder, 'data');
  const { certFile, keyFile } = await ensureLocalTls(join(folder, 'tls'), ['127.0.0.1']);
  for (const [from, to] of [
    [certFile, 'server.crt'],
    [keyFile, 'server.key'],
  ] as const) {
    copyFileSync(from, join(data, to));
    if (isRoot) chownSync(join(data, to), nobody, nobody);
  }
  const rules = [
    'local all all trust',
    'host replication all 127.0.0.1/32 trust',
    'host all app 127.0.0.1/32 trust',
    'hostssl all encrypted 127.0.0.1/32 trust',
    'host all encrypted 127.0.0.1/32 reject',
    'host all all 127.0.0.1/32 scram-sha-256',
  ];
  await query(server.url, 'create role encrypted login');
  await query(server.url, `create role plain login password 'right'`);
  await query(server.url, `create role crowded login password 'right' connection limit 0`);
  await query(server.url, 'create database aggregator owner app');
  await query(server.url, 'create database unprepared owner app');
  await query(server.url, 'create database newer owner app');
  await query(server.url, 'create database development owner app');
  const address = (database: string) => ({
    url: urlOf('app', database),
    ownerUrl: urlOf('app', database),
    sidecarUrl: urlOf('app', database),
  });
  await prepareSchema(address('newer'));
  await query(
    urlOf('app', 'newer'),
    `insert into drizzle.__drizzle_migrations (hash, created_at) values ('next', 9000000000000)`,
  );
  await prepareSchema(address('development'));
  await query(
    urlOf('app', 'development'),
    `update drizzle.__drizzle_migrations set hash = 'other', created_at = 1795252019639`,
  );
  await prepareSchema(address('aggregator'));
  await query(server.url, 'alter system set ssl = on');
  writeFileSync(join(data, 'pg_hba.conf'), `${rules.join('\n')}\n`);
  await query(server.url, 'select pg_reload_conf()');
}

type Case = [title: string, variables: () => NodeJS.ProcessEnv, line: RegExp];
const place = String.raw`127\.0\.0\.1:\d+`;
const line = (text: string): RegExp => new RegExp(`^${text}$`);

const urls: Case[] = [
  [
    'nothing listens',
    () => ({ DATABASE_URL: urlOf('plain:right', 'aggregator', unused) }),
    line(`DATABASE_URL: nothing listens on ${place}; start the server, or correct host and port in the URL`),
  ],
  [
    'the host is unknown',
    () => ({ DATABASE_URL: 'postgres://plain:right@database.invalid/aggregator' }),
    line('DATABASE_URL: the host of database\\.invalid:5432 does not resolve in DNS; correct it in the URL'),
  ],
  [
    'a web server answers',
    () => ({ DATABASE_URL: urlOf('plain:right', 'aggregator', web) }),
    line(`DATABASE_URL: ${place} (?:ends the connection|does not answer); correct .*`),
  ],
  [
    'the connection is closed',
    () => ({ DATABASE_URL: urlOf('plain:right', 'aggregator', closing) }),
    line(
      `DATABASE_URL: ${place} ends the connection; correct host and port in the URL if it is not a PostgreSQL server`,
    ),
  ],
  [
    'the password is wrong',
    () => ({ DATABASE_URL: urlOf('plain:wrong') }),
    line(
      `DATABASE_URL: ${place} rejects the login \\(password authentication failed for user "plain"\\); correct the user or the password in the URL`,
    ),
  ],
  [
    'the password is missing',
    () => ({ DATABASE_URL: urlOf('plain') }),
    line(
      `DATABASE_URL: ${place} rejects the login \\(.*password.*\\); correct the user or the password in the URL`,
    ),
  ],
  [
    'the password of the owner is wrong',
    () => ({ DATABASE_URL: urlOf('app'), DATABASE_OWNER_URL: urlOf('plain:wrong') }),
    line(`DATABASE_OWNER_URL: ${place} rejects the login .*`),
  ],
  [
    'the password of the sidecar is wrong',
    () => ({ DATABASE_URL: urlOf('app'), DATABASE_SIDECAR_URL: urlOf('plain:wrong') }),
    line(`DATABASE_SIDECAR_URL: ${place} rejects the login .*`),
  ],
  [
    'the database is unknown',
    () => ({ DATABASE_URL: urlOf('plain:right', 'elsewhere') }),
    line(
      `DATABASE_URL: ${place} has no database elsewhere; npm run db:migrate -- --roles prints the SQL that creates it`,
    ),
  ],
  [
    'the server accepts encrypted connections only',
    () => ({ DATABASE_URL: urlOf('encrypted') }),
    line(`DATABASE_URL: ${place} accepts encrypted connections only; add \\?sslmode=verify-full to the URL`),
  ],
  [
    'the certificate of the server is unknown',
    () => ({ DATABASE_URL: `${urlOf('encrypted')}?sslmode=verify-full` }),
    line(
      `DATABASE_URL: the certificate of ${place} is not trusted \\(.*\\); add sslrootcert=<file of its authority> to the URL`,
    ),
  ],
  [
    'the server does not offer TLS',
    () => ({ DATABASE_URL: `${standby.url}?sslmode=verify-full` }),
    line(`DATABASE_URL: ${place} does not offer TLS; remove sslmode from the URL, or turn TLS on there`),
  ],
  [
    'the role has no connection left',
    () => ({ DATABASE_URL: urlOf('crowded:right') }),
    line(
      `DATABASE_URL: ${place} has no connection left \\(.*\\); raise max_connections, or end other clients`,
    ),
  ],
  [
    'the server is a standby',
    () => ({ DATABASE_URL: Object.assign(new URL(standby.url), { pathname: '/unprepared' }).href }),
    line(`DATABASE_URL: ${place} is read-only, as a standby is; name the primary server`),
  ],
  [
    'the role may not make tables',
    () => ({ DATABASE_URL: urlOf('plain:right', 'unprepared') }),
    line(
      'DATABASE_URL: the schema is missing and the role plain must not change it \\(.*\\); set DATABASE_OWNER_URL to the URL of the owner of the database',
    ),
  ],
  [
    'the schema is newer',
    () => ({ DATABASE_URL: urlOf('app', 'newer') }),
    line(
      'DATABASE_URL: the schema of the database is newer than this version of the portal; use the newer version',
    ),
  ],
  [
    'a schema of the time before the first release',
    () => ({ DATABASE_URL: urlOf('app', 'development') }),
    line(
      'DATABASE_URL: the schema of the database is that of a development version before the first release and cannot be upgraded; use a new, empty database',
    ),
  ],
];

/** Errors that are detected later in the start. */
const later: Case[] = [
  [
    'the role may not read the tables',
    () => ({ DATABASE_URL: urlOf('plain:right') }),
    line(
      `DATABASE_URL: the role of the URL lacks a privilege on ${place} \\(.*\\); npm run db:migrate -- --roles prints the SQL that grants it`,
    ),
  ],
  [
    'a signing key of a kind that signs nothing',
    () => {
      const file = join(folder, 'x25519.pem');
      execFileSync('openssl', ['genpkey', '-algorithm', 'x25519', '-out', file]);
      return { DATABASE_URL: urlOf('app'), AGGREGATOR_JWT_SSL_KEY: file };
    },
    line('AGGREGATOR_JWT_SSL_KEY: must be a PKCS 8 key, EC P-256, RSA of 2,048 bits or more, or Ed25519; .*'),
  ],
  [
    'a signing key that is too short',
    () => {
      const file = join(folder, 'rsa.pem');
      execFileSync(
        'openssl',
        ['genpkey', '-algorithm', 'rsa', '-pkeyopt', 'rsa_keygen_bits:1024', '-out', file],
        {
          stdio: 'ignore',
        },
      );
      return { DATABASE_URL: urlOf('app'), AGGREGATOR_JWT_SSL_KEY: file };
    },
    line('AGGREGATOR_JWT_SSL_KEY: must be a PKCS 8 key, EC P-256, RSA of 2,048 bits or more, or Ed25519; .*'),
  ],
  [
    'a common password for the first administrator',
    () => ({ DATABASE_URL: urlOf('app', 'aggregator'), ADMIN_PASSWORD: 'password' }),
    line(
      'ADMIN_PASSWORD: must be a password of \\d+ to \\d+ characters, not a common one, without "admin" in it',
    ),
  ],
];

requireService('postgresql', binaries !== undefined)('a start without a usable database', () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'aggregator-refused-'));
    ports = await freePorts(2);
    server = await startThrowawayPostgres(binaries ?? '');
    standby = await startStandby(server.url);
    await secure();
    unused = await freePort();
    web = await portOf(createHttpServer((_, answer) => answer.end()));
    closing = await portOf(createServer((socket) => socket.end()));
  }, 60_000);
  afterAll(async () => {
    for (const door of doors) door.close();
    await standby?.stop();
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const variables = () => ({ ...bareVariables(mkdtempSync(join(folder, 'data-')), ports), ...keys });

  describe('is reported in one line with the variable, the cause and the remedy', () => {
    it.each(urls)(
      '%s',
      async (_, given, expected) => {
        const { DATABASE_URL: url = '', DATABASE_OWNER_URL, DATABASE_SIDECAR_URL } = given();
        const address = { url, ownerUrl: DATABASE_OWNER_URL ?? url, sidecarUrl: DATABASE_SIDECAR_URL ?? url };
        await expect(prepareSchema(address)).rejects.toThrow(expected);
      },
      40_000,
    );

    it.each([...urls.slice(0, 1), ...later])(
      'a process: %s',
      async (_, given, expected) => {
        expect(await refusedStart({ ...variables(), ...given() })).toEqual([expect.stringMatching(expected)]);
      },
      40_000,
    );

    it.each(['migration', 'workers'] as const)('also a %s', async (program) => {
      const env = { ...variables(), DATABASE_URL: urlOf('plain:wrong') };
      expect(await refusedStart(env, programs[program])).toEqual([
        expect.stringMatching(/^DATABASE_URL: \S+ rejects the login /),
      ]);
    }, 40_000);
  });

  describe('a sidecar that is started alone refuses', () => {
    it.each([
      ['no URL', () => ({}), /^DATABASE_SIDECAR_URL or DATABASE_URL: required, /],
      [
        'a wrong password',
        () => ({ DATABASE_SIDECAR_URL: urlOf('plain:wrong') }),
        /^DATABASE_SIDECAR_URL: \S+ rejects the login /,
      ],
      [
        'an empty database',
        () => ({ DATABASE_URL: urlOf('app', 'unprepared') }),
        /^DATABASE_URL: the database has no schema; run npm run db:migrate, or start the portal first$/,
      ],
      [
        'a newer schema',
        () => ({ DATABASE_URL: urlOf('app', 'newer') }),
        /^DATABASE_URL: the database schema is newer than this version; start the newer version of the sidecar$/,
      ],
      [
        'a schema of the time before the first release',
        () => ({ DATABASE_URL: urlOf('app', 'development') }),
        /^DATABASE_URL: the schema was created by a development version before the first release; use a new, empty database$/,
      ],
      [
        'an older schema',
        () => ({ DATABASE_SIDECAR_URL: urlOf('app', 'older') }),
        /^DATABASE_SIDECAR_URL: the database schema is older than this version; run npm run db:migrate, or start the new portal first$/,
      ],
    ])(
      '%s',
      async (title, given, expected) => {
        if (title === 'an older schema') {
          await query(server.url, 'create database older template aggregator');
          await query(
            urlOf('app', 'older'),
            `update drizzle.sql_files set stamp = stamp - 1, digest = 'older'`,
          );
        }
        expect(await refusedStart({ ...variables(), ...given() }, programs.sidecar)).toEqual([
          expect.stringMatching(expected),
        ]);
      },
      40_000,
    );
  });
});
