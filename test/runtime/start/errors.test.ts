import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEmbeddedDatabase } from '../../../shared/tooling/embedded/database.ts';
import { issueLeaf } from '../../../shared/tooling/start/tls/local-certificates.ts';
import { ensureLocalTls, type LocalTls } from '../../../shared/tooling/start/tls/local-tls.ts';
import { readTlsFiles } from '../../../shared/tooling/start/tls/tls-files.ts';
import { bareVariables, freePorts, runPortal } from '../../e2e/support/portal-process.ts';
import { mayMount, mountSmallDisk } from '../../support/database/small-disk.ts';
import { programs, refusedStart } from '../../support/processes/refused-start.ts';
import { whereThereIs } from '../../support/services.ts';

let folder: string;
let ports: number[];
let tls: LocalTls;
let other: LocalTls;
let occupied: Server;
let occupiedPort: number;

const at = (...names: string[]) => join(folder, ...names);
const write = (name: string, content: string): string => {
  writeFileSync(at(name), content);
  return at(name);
};
const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: ['ignore', 'pipe', 'ignore'] });
/** A certificate by OpenSSL, as an operator makes one. */
const selfSigned = (name: string, ...options: string[]): { cert: string; key: string } => {
  const [cert, key] = [at(`${name}.pem`), at(`${name}-key.pem`)];
  const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=portal.test'];
  openssl(...request, '-keyout', key, '-out', cert, ...options);
  return { cert, key };
};

type Case = [title: string, variables: () => NodeJS.ProcessEnv, ...lines: RegExp[]];

const configuration: Case[] = [
  [
    'values that are none',
    () => ({ PORT: '99999', TLS: 'yes', SECRET_KEY: 'short' }),
    /^PORT: must be a whole number from 0 to 65535$/,
    /^SECRET_KEY: must be base64 of 32 bytes/,
    /^TLS: must be one of on, off$/,
  ],
  [
    'a misspelt name in the configuration file',
    () => ({ CONFIG_FILE: write('misspelt.conf', 'LOG_LEVEL=warn\nHEALTHPORT=8100\n') }),
    /^HEALTHPORT: not a setting; did you mean HEALTH_PORT\? \(CONFIG_FILE, line 2\)$/,
  ],
  [
    'a configuration file that is a folder',
    () => ({ CONFIG_FILE: folder }),
    /^CONFIG_FILE: \S+ cannot be used \(it is a folder\); set a file that this user can read and write$/,
  ],
  [
    'a configuration file from Windows with a bad value in its last line',
    () => ({ CONFIG_FILE: write('windows.conf', '\uFEFFLOG_LEVEL=warn\r\n# comment\r\n\r\nTLS=maybe\r\n') }),
    /^TLS: must be one of on, off$/,
  ],
  [
    'a signing key in a file that is not there',
    () => ({ AGGREGATOR_JWT_SSL_KEY: at('missing.pem') }),
    /^AGGREGATOR_JWT_SSL_KEY: must be PEM text or the path of a readable file \(the file or folder does not exist\)$/,
  ],
  [
    'a port that is in use',
    () => ({ PORT: String(occupiedPort) }),
    /^PORT: 127\.0\.0\.1:\d+ is in use by another program; stop it, or set another port$/,
  ],
  [
    'an address of another machine',
    () => ({ HOST: '192.0.2.1', BASE_URL: 'https://portal.test' }),
    /^HOST: this machine has no address 192\.0\.2\.1; set one of its addresses$/,
  ],
];

const folders: Case[] = [
  [
    'a data folder that is a file',
    () => ({ DATA_DIR: write('file', '') }),
    /^DATA_DIR: \S+ cannot be used \(it is a file\); set a folder that this user can write to$/,
  ],
  [
    'a data folder beneath a file',
    () => ({ DATA_DIR: join(write('file', ''), 'data') }),
    /^DATA_DIR: \S+ cannot be used \(it is a file\); set a folder that this user can write to$/,
  ],
  [
    'a data folder in /proc',
    () => ({ DATA_DIR: '/proc/x' }),
    /^DATA_DIR: \/proc\/x cannot be used \(the file or folder does not exist\); set a folder that this user can write to$/,
  ],
  [
    'a local authority that was cut off',
    () => {
      cpSync(at('tls'), at('cut', 'tls'), { recursive: true });
      truncateSync(at('cut', 'tls', 'ca.pem'), 300);
      return { DATA_DIR: at('cut') };
    },
    /^DATA_DIR: \S+\/tls\/ca\.pem is damaged; restore it, or remove ca\.pem and ca-key\.pem for a new authority/,
  ],
];

const certificates: Case[] = [
  ...(['TLS_CERT_FILE', 'TLS_KEY_FILE'] as const).map(
    (name): Case => [
      `${name} of a file that is not there`,
      () => ({ ...files(tls), [name]: at('missing.pem') }),
      new RegExp(
        `^${name}: \\S+/missing\\.pem cannot be read \\(the file or folder does not exist\\); provide a PEM file`,
      ),
    ],
  ),
  [
    'a certificate in DER',
    () => {
      openssl('x509', '-in', tls.certFile, '-outform', 'der', '-out', at('leaf.der'));
      return { ...files(tls), TLS_CERT_FILE: at('leaf.der') };
    },
    /^TLS_CERT_FILE: \S+ contains no PEM certificate; convert it, for example with openssl x509 -inform der/,
  ],
  [
    'a chain whose second certificate was cut off',
    () => {
      const chain = readFileSync(tls.certFile, 'utf8') + readFileSync(tls.caFile, 'utf8').slice(0, 300);
      return { ...files(tls), TLS_CERT_FILE: write('chain.pem', chain) };
    },
    /^TLS_CERT_FILE: certificate 2 of 2 in \S+ is damaged or truncated; copy the file again$/,
  ],
  [
    'a chain in the wrong order',
    () => {
      const chain = readFileSync(tls.caFile, 'utf8') + readFileSync(tls.certFile, 'utf8');
      return { ...files(tls), TLS_CERT_FILE: write('order.pem', chain) };
    },
    /^TLS_CERT_FILE: in \S+ the certificate of the server is number 2; put it first, before its chain$/,
  ],
  [
    'the key of another certificate',
    () => ({ ...files(tls), TLS_KEY_FILE: other.keyFile }),
    /^TLS_KEY_FILE: \S+ is not the key of the certificate in \S+; set matching files$/,
  ],
  [
    'a key with a passphrase',
    () => {
      openssl('pkey', '-in', tls.keyFile, '-aes256', '-passout', 'pass:secret', '-out', at('locked.pem'));
      return { ...files(tls), TLS_KEY_FILE: at('locked.pem') };
    },
    /^TLS_KEY_FILE: \S+ is encrypted with a passphrase; decrypt it with openssl pkey/,
  ],
  [
    'a key that was cut off',
    () => ({
      ...files(tls),
      TLS_KEY_FILE: write('cut-key.pem', readFileSync(tls.keyFile, 'utf8').slice(0, 100)),
    }),
    /^TLS_KEY_FILE: \S+ contains no PEM private key, or a damaged one; set another file$/,
  ],
  [
    'a certificate that OpenSSL holds for too weak',
    () => {
      const { cert, key } = selfSigned('weak', '-newkey', 'rsa:1024', '-sha1');
      return { TLS_CERT_FILE: cert, TLS_KEY_FILE: key };
    },
    /^TLS_CERT_FILE: OpenSSL rejects \S+ \(.*too (?:weak|small)\); issue another certificate$/,
  ],
];

const files = (pair: LocalTls): NodeJS.ProcessEnv => ({
  TLS_CERT_FILE: pair.certFile,
  TLS_KEY_FILE: pair.keyFile,
});

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'aggregator-refused-'));
  ports = await freePorts(2);
  tls = await ensureLocalTls(at('tls'), []);
  other = await ensureLocalTls(at('other-tls'), []);
  occupied = createServer();
  occupiedPort = await new Promise((resolve) => {
    occupied.listen(0, '127.0.0.1', () => resolve((occupied.address() as { port: number }).port));
  });
});
afterAll(() => {
  occupied.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('a refused start reports in one line the cause and the remedy', () => {
  it.each([...configuration, ...folders, ...certificates.slice(-1)])('%s', async (_, variables, ...lines) => {
    const data = mkdtempSync(at('data-'));
    const output = await refusedStart({ ...bareVariables(data, ports), ...variables() });
    expect(output).toEqual(lines.map((line) => expect.stringMatching(line)));
  });

  it.each(certificates)('%s', (_, variables, line) => {
    const { TLS_CERT_FILE: tlsCertFile, TLS_KEY_FILE: tlsKeyFile } = variables();
    expect(() => readTlsFiles({ tlsCertFile, tlsKeyFile })).toThrow(line);
  });
});

describe('an unusable database folder is reported', () => {
  let intact: string;

  beforeAll(async () => {
    intact = at('intact');
    const database = await startEmbeddedDatabase({ folder: join(intact, 'database') });
    await database.stop();
  }, 60_000);

  /** A data folder with a copy of the database, and the key without which the start would fail earlier. */
  const copy = (name: string): NodeJS.ProcessEnv & { DATA_DIR: string } => {
    cpSync(intact, at(name), { recursive: true });
    return { ...bareVariables(at(name), ports), DATA_DIR: at(name), SECRET_KEY: key };
  };
  const key = Buffer.alloc(32, 7).toString('base64');

  it.each([
    ['an empty control file', 'global/pg_control', truncateSync],
    ['no PG_VERSION, which would be replaced by a new database', 'PG_VERSION', rmSync],
    ['no configuration', 'postgresql.conf', rmSync],
  ])('a damaged folder: %s', async (title, file, damage) => {
    const env = copy(`damaged ${title}`);
    damage(join(env.DATA_DIR, 'database', 'cluster', file));
    expect(await refusedStart(env)).toEqual([
      expect.stringMatching(
        /^DATA_DIR: the embedded database in .+ does not start \(.+\) and is probably damaged; restore it from a backup, or move the folder away/,
      ),
    ]);
  });

  whereThereIs('right to mount', mayMount())('on a disk', () => {
    it('a disk that is too small for a new database, and a full one with an existing database', async () => {
      const small = await mountSmallDisk(20);
      const full = await mountSmallDisk(200);
      try {
        expect(await refusedStart({ ...bareVariables(join(small.folder, 'data'), ports) })).toEqual([
          expect.stringMatching(
            /^DATA_DIR: \S+ has \d+ MB of free space, and a new database needs 100 MB; free some space, or set another folder$/,
          ),
        ]);
        const env = copy('beside');
        cpSync(env.DATA_DIR, join(full.folder, 'data'), { recursive: true });
        await full.fill();
        expect(await refusedStart({ ...env, DATA_DIR: join(full.folder, 'data') })).toEqual([
          expect.stringMatching(/^DATA_DIR: .*full.*; free some space$/),
        ]);
      } finally {
        await small.remove();
        await full.remove();
      }
    });
  });

  it('misspelt variables and an expired certificate are reported', async () => {
    const ca = {
      certPem: readFileSync(tls.caFile, 'utf8'),
      keyPem: readFileSync(at('tls', 'ca-key.pem'), 'utf8'),
    };
    const { certPem, keyPem } = await issueLeaf(ca, ['localhost'], -0.5);
    const cert = write('expired.pem', certPem);
    const keyFile = write('expired-key.pem', keyPem);
    const { stderr, code } = await runPortal({
      env: {
        ...bareVariables(mkdtempSync(at('data-')), ports),
        ...{ PORT: String(occupiedPort), TLS_CERT_FILE: cert, TLS_KEY_FILE: keyFile },
        ...{ DATABASE_ULR: 'postgres://localhost', AGGREGATOR_COLOUR: 'red', SSL_CERT_FILE: cert },
      },
      command: programs.portal,
    });
    const logged = stderr.split('\n').filter((line) => line.startsWith('{'));
    expect(logged.map((line) => JSON.parse(line).message)).toEqual([
      'DATABASE_ULR: not a setting; did you mean DATABASE_URL?',
      'AGGREGATOR_COLOUR: not a setting',
      expect.stringMatching(/^TLS_CERT_FILE: \S+ expired on \S+; clients reject it; renew it$/),
    ]);
    expect(code).toBe(1);
  });
});
