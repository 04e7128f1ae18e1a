import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePorts } from '../../e2e/support/portal-process.ts';
import { untilListening } from '../processes/output.ts';
import { type CardFiles, createCards, type IssueCard, realm } from './cards.ts';

const run = promisify(execFile);
const programs = ['/usr/sbin/krb5kdc', '/usr/sbin/kdb5_util', '/usr/sbin/kadmin.local', '/usr/bin/openssl'];

/** Whether a KDC with its PKINIT plugin is installed. */
export const hasKdc =
  programs.every(existsSync) &&
  ['x86_64', 'aarch64'].some((arch) =>
    existsSync(`/usr/lib/${arch}-linux-gnu/krb5/plugins/preauth/pkinit.so`),
  );

export type Kdc = {
  realm: string;
  /** `host:port`. */
  address: string;
  /** PEM of the authority of the KDC and of the cards. */
  anchors: string;
  /** Of its files. */
  folder: string;
  issue: IssueCard;
  /** Revokes a card; takes effect in a KDC that is started later. */
  revoke(card: CardFiles): Promise<void>;
  /** `kadmin.local`. */
  admin(...words: string[]): Promise<string>;
  /** Starts another KDC of the same realm, with other settings. @returns its address */
  another(settings: Readonly<Record<string, string>>): Promise<string>;
  stop(): Promise<void>;
};

/** A realm of MIT Kerberos with users alice, bob and carol, in a separate folder; freshness is required. */
export async function startKdc(): Promise<Kdc> {
  const folder = await mkdtemp(join(tmpdir(), 'aggregator-kdc-'));
  const started: ChildProcess[] = [];
  const { issue, revoke, caFile } = await createCards(folder);
  await issue({ name: 'kdc', section: 'kdc' });
  await writeFile(join(folder, 'kadm5.acl'), '');
  await mkdir(join(folder, 'db'));
  const start = async (settings: Readonly<Record<string, string>>): Promise<string> => {
    const [port = 0] = await freePorts(1);
    const env = await configure(folder, port, settings);
    if (started.length === 0) await createRealm(env);
    const kdc = spawn('/usr/sbin/krb5kdc', ['-n'], { env, stdio: 'ignore' });
    started.push(kdc);
    await untilListening(kdc, { port });
    return `127.0.0.1:${port}`;
  };
  const address = await start({ pkinit_require_freshness: 'true' });
  const env = { ...process.env, ...(await configure(folder, 0, {})) };
  return {
    realm,
    address,
    anchors: await readFile(caFile, 'utf8'),
    folder,
    issue,
    revoke,
    admin: async (...words) => (await run('/usr/sbin/kadmin.local', ['-r', realm, ...words], { env })).stdout,
    another: start,
    stop: async () => {
      for (const child of started) await ended(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function createRealm(env: NodeJS.ProcessEnv): Promise<void> {
  await run('/usr/sbin/kdb5_util', ['create', '-s', '-P', 'master', '-r', realm], { env });
  for (const name of ['alice', 'bob', 'carol'])
    await run('/usr/sbin/kadmin.local', ['-r', realm, 'addprinc', '-randkey', '+requires_preauth', name], {
      env,
    });
}

async function configure(
  folder: string,
  port: number,
  settings: Readonly<Record<string, string>>,
): Promise<NodeJS.ProcessEnv> {
  const [krb5, kdc] = [join(folder, `krb5-${port}.conf`), join(folder, `kdc-${port}.conf`)];
  const all: Record<string, string> = {
    database_name: `${folder}/db/principal`,
    key_stash_file: `${folder}/db/stash`,
    acl_file: `${folder}/kadm5.acl`,
    master_key_type: 'aes256-cts-hmac-sha1-96',
    supported_enctypes: 'aes256-cts-hmac-sha1-96:normal aes128-cts-hmac-sha1-96:normal',
    pkinit_identity: `FILE:${folder}/kdc.pem,${folder}/kdc.key`,
    pkinit_anchors: `FILE:${folder}/ca.pem`,
    pkinit_revoke: `FILE:${folder}/crl.pem`,
    pkinit_eku_checking: 'kpClientAuth',
    pkinit_allow_upn: 'true',
    ...settings,
  };
  const lines = Object.entries(all).map(([name, value]) => `    ${name} = ${value}`);
  await writeFile(
    kdc,
    `[kdcdefaults]\n  kdc_listen = 127.0.0.1:${port}\n  kdc_tcp_listen = 127.0.0.1:${port}\n[realms]\n  ${realm} = {\n${lines.join('\n')}\n  }\n[logging]\n  kdc = FILE:${folder}/kdc-${port}.log\n`,
  );
  await writeFile(
    krb5,
    `[libdefaults]\n  default_realm = ${realm}\n  dns_lookup_kdc = false\n  dns_lookup_realm = false\n`,
  );
  return { PATH: process.env.PATH, KRB5_CONFIG: krb5, KRB5_KDC_PROFILE: kdc };
}

const ended = (child: ChildProcess): Promise<unknown> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || !child.kill()) return resolve(undefined);
    child.once('close', resolve);
  });
