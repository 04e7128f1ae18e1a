import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { Client } from 'ldapts';
import { expect, vi } from 'vitest';
import { freePorts } from '../../e2e/support/portal-process.ts';
import type { ServerCertificate } from '../../simulator/authority.ts';
import { configOf } from './slapd-config.ts';

export const suffix = 'dc=example,dc=com';
export const reader = { bind_dn: `cn=reader,${suffix}`, bind_password: 'reader secret' };

export type Slapd = {
  /** `ldap://`, which also speaks StartTLS, and `ldaps://`. */
  url: string;
  secureUrl: string;
  /** The log lines of all connections and operations up to this call. */
  logged(): Promise<readonly string[]>;
  /** The number of bind requests for this entry up to this call. */
  bindsAs(dn: string): Promise<number>;
  /** Adds or changes entries: LDIF, as the owner of the database. */
  change(ldif: string): Promise<void>;
  stop(): Promise<void>;
};

const program = '/usr/sbin/slapd';
export const hasSlapd = existsSync(program) && existsSync('/usr/bin/ldapmodify');
const run = promisify(execFile);

/**
 * A throwaway slapd on free ports of this machine.
 * @param ldif its entries below the suffix, which exists
 */
export async function startSlapd(
  certificate: ServerCertificate,
  ldif: string,
  { isPublic = false } = {},
): Promise<Slapd> {
  const folder = await mkdtemp(join(tmpdir(), 'aggregator-slapd-'));
  const [plain = 0, secure = 0] = await freePorts(2);
  const [url, secureUrl] = [`ldap://127.0.0.1:${plain}`, `ldaps://127.0.0.1:${secure}`];
  const owner = { dn: `cn=owner,${suffix}`, password: 'owner secret' };
  await mkdir(join(folder, 'data'));
  await writeFile(join(folder, 'cert.pem'), certificate.cert);
  await writeFile(join(folder, 'key.pem'), certificate.key);
  await writeFile(join(folder, 'slapd.conf'), configOf({ folder, suffix, owner, reader, isPublic }));
  await writeFile(join(folder, 'entries.ldif'), `${baseEntries}\n${ldif}`);
  const config = join(folder, 'slapd.conf');
  await run(program, ['-T', 'add', '-q', '-f', config, '-l', join(folder, 'entries.ldif')]);
  const log: string[] = [];
  const server = spawn(program, ['-f', config, '-h', `${url}/ ${secureUrl}/`, '-d', 'stats'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await listening(server, log);
  const logged = () => logUpTo(url, log);
  return {
    url,
    secureUrl,
    logged,
    bindsAs: async (dn) =>
      (await logged()).filter((line) => line.includes(`BIND dn="${dn}" method=128`)).length,
    change: async (text) => {
      const input = text.trim();
      const args = ['-H', url, '-D', owner.dn, '-w', owner.password, '-x'];
      execFileSync('/usr/bin/ldapmodify', args, { input, stdio: ['pipe', 'ignore', 'pipe'] });
    },
    stop: async () => {
      const ended = new Promise((resolve) => server.once('close', resolve));
      server.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/**
 * The log is read from a pipe, so its last lines may not have arrived when an operation is answered.
 * The line of one more search, which slapd writes after them, marks that they have.
 */
async function logUpTo(url: string, log: readonly string[]): Promise<readonly string[]> {
  const base = `cn=marker ${randomUUID()}`;
  const client = new Client({ url });
  await client.search(base, { scope: 'base' }).catch(() => undefined);
  await client.unbind();
  const isMarker = (line: string) => line.includes(`SRCH base="${base}"`);
  await vi.waitFor(() => expect(log.some(isMarker)).toBe(true), { timeout: 10_000, interval: 5 });
  return log.slice(0, log.findIndex(isMarker));
}

export const baseEntries = `dn: ${suffix}
objectClass: dcObject
objectClass: organization
o: Example
dc: example

dn: ${reader.bind_dn}
objectClass: applicationProcess
objectClass: simpleSecurityObject
cn: reader
userPassword: ${reader.bind_password}

dn: ou=people,${suffix}
objectClass: organizationalUnit
ou: people

dn: ou=groups,${suffix}
objectClass: organizationalUnit
ou: groups
`;

function listening({ stderr }: ChildProcess, log: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    if (!stderr) return;
    createInterface({ input: stderr })
      .on('line', (line) => {
        log.push(line);
        if (line.includes('slapd starting')) resolve();
      })
      .once('close', () => reject(new Error(`slapd ended: ${log.slice(-5).join('; ')}`)));
  });
}
