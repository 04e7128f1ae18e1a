import { isBuiltin } from 'node:module';

type PackageRule = { rule: string; concerns: (name: string) => boolean; allowed: readonly RegExp[] };

const test = /^test\//;
const tooling = /^shared\/tooling\//;
/** A Worker has sockets as well; names of packages do not show whether they work there. */
const socketRemote = /^shared\/remotes\/directory\/(?:workers|sockets|session)\.ts$/;
const nodeRemote = /^shared\/remotes\/[^/]+\/node\.ts$/;

const named =
  (...names: string[]) =>
  (name: string) =>
    names.some((prefix) => name === prefix || name.startsWith(`${prefix}/`));

/** The modules in a Worker with `nodejs_compat`; every other `node:` module needs a Node process. */
const inWorkers = new Set(
  ['buffer', 'crypto', 'async_hooks', 'util', 'events', 'assert', 'stream', 'url', 'path'].flatMap((name) => [
    name,
    `node:${name}`,
  ]),
);

/** Which package may be imported where; `allowed` are patterns of paths. */
export const packageRules: readonly PackageRule[] = [
  {
    rule: 'the database is spoken to below db/ only',
    concerns: named('drizzle-orm', 'drizzle-kit', 'pg', '@neondatabase'),
    allowed: [/^db\//, tooling, test],
  },
  {
    rule: 'the embedded database is started by the tooling only',
    concerns: named('@electric-sql'),
    allowed: [tooling, test],
  },
  {
    rule: 'hono stays in shared/http, shared/runtime and functions, out of use cases',
    concerns: named('hono', '@hono'),
    allowed: [/^shared\/(?:http|runtime)\//, /^functions\/(?!.*\/usecases\.ts$)/, test],
  },
  {
    rule: 'jose stays in shared/access, shared/remotes and shared/audit',
    concerns: named('jose'),
    allowed: [/^shared\/(?:access|remotes|audit)\//, test],
  },
  {
    rule: 'oauth4webapi stays in the client of identity providers',
    concerns: named('oauth4webapi'),
    allowed: [/^shared\/remotes\/oidc\//, test],
  },
  {
    rule: 'aws4fetch stays in the object store',
    concerns: named('aws4fetch'),
    allowed: [/^shared\/remotes\/object-store(?:\/|\.ts$)/],
  },
  {
    rule: 'nodemailer stays in the remote for mails',
    concerns: named('nodemailer'),
    allowed: [/^shared\/remotes\/mail\/node\.ts$/],
  },
  {
    rule: 'undici stays in the Node form of a remote',
    concerns: named('undici'),
    allowed: [nodeRemote, test],
  },
  {
    rule: 'what only a Worker has stays in its form of a remote',
    concerns: (name) => name.startsWith('cloudflare:'),
    allowed: [/^shared\/remotes\/[^/]+\/workers\.ts$/],
  },
  {
    rule: 'what a Worker lacks of node:* stays in files that only Node runs',
    concerns: (name) => isBuiltin(name) && !inWorkers.has(name),
    allowed: [
      /^functions\/(?:health\/|all\.ts$)/,
      /^shared\/runtime\/(?:node\/|edge\/lambda\.ts$)/,
      tooling,
      nodeRemote,
      socketRemote,
      /^db\/(?:migrator\/|drizzle\.config\.ts$)/,
      test,
    ],
  },
  {
    rule: 'what draws pages stays in the code of browsers',
    concerns: named('preact', '@tanstack'),
    allowed: [/^shared\/web\//, /^functions\/[^/]+\/app\//, test],
  },
];
