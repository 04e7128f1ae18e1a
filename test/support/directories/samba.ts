import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHash, randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Attribute, Change, Client } from 'ldapts';
import type { Authority } from '../../simulator/authority.ts';
import { createCards } from '../pkinit/cards.ts';
import type { Kdc } from '../pkinit/kdc.ts';
import { untilListening } from '../processes/output.ts';
import { preparedFolder } from '../runner/prepared.ts';

const run = promisify(execFile);
const programs = ['/usr/sbin/samba', '/usr/bin/samba-tool', '/usr/sbin/winbindd'];
/** Samba uses the fixed ports of a domain controller, so it needs root. */
export const hasSamba = programs.every(existsSync) && process.getuid?.() === 0;

const adRealm = 'CORP.EXAMPLE';
export const adSuffix = 'DC=corp,DC=example';
export const adDn = (cn: string): string => `CN=${cn},CN=Users,${adSuffix}`;
export const adAdmin = { bind_dn: adDn('Administrator'), bind_password: 'Passw0rd!admin' };
export const adPassword = (name: string): string => `Passw0rd!${name}`;

type Values = Readonly<Record<string, string | readonly string[]>>;

/** The entry of a password policy for some users; times are in 100 ns. */
export const adPolicy = (
  name: string,
  users: readonly string[],
  own: Values,
): [dn: string, values: Values] => [
  `CN=${name},CN=Password Settings Container,CN=System,${adSuffix}`,
  {
    objectClass: 'msDS-PasswordSettings',
    'msDS-PasswordSettingsPrecedence': '10',
    'msDS-PasswordReversibleEncryptionEnabled': 'FALSE',
    'msDS-PasswordHistoryLength': '0',
    'msDS-PasswordComplexityEnabled': 'FALSE',
    'msDS-MinimumPasswordLength': '0',
    'msDS-MinimumPasswordAge': '0',
    'msDS-MaximumPasswordAge': '-9223372036854775808',
    'msDS-LockoutThreshold': '0',
    'msDS-LockoutObservationWindow': '-18000000000',
    'msDS-LockoutDuration': '-18000000000',
    'msDS-PSOAppliesTo': users.map(adDn),
    ...own,
  },
];

export type Samba = {
  url: string;
  /** Adds a user whose password is `adPassword(name)`. */
  addUser(name: string, more?: Values): Promise<void>;
  addGroup(name: string, members: readonly string[], more?: Values): Promise<void>;
  add(dn: string, values: Values): Promise<void>;
  /** `objectGUID` of a user, hexadecimal. */
  guidOf(name: string): Promise<string>;
  /** Replaces attributes of an entry; an empty list removes one. */
  replace(dn: string, values: Values): Promise<void>;
  rename(dn: string, newRdn: string): Promise<void>;
  setPassword(name: string, password: string): Promise<void>;
  stop(): Promise<void>;
};

/**
 * A throwaway domain controller of the domain CORP (corp.example). Its ports are fixed, so each instance has a separate
 * loopback address. It accepts simple binds in plain text.
 */
export async function startSamba(authority: Authority): Promise<Samba> {
  return (await launch(authority, undefined)).samba;
}

export type SambaRealm = Samba & Pick<Kdc, 'realm' | 'address' | 'anchors' | 'issue'>;

/** The same with its Heimdal KDC; it accepts certificates of a separate authority. */
export async function startSambaRealm(authority: Authority): Promise<SambaRealm> {
  const cards = await mkdtemp(join(tmpdir(), 'aggregator-samba-cards-'));
  const { issue, caFile } = await createCards(cards, adRealm);
  await issue({ name: 'kdc', section: 'kdc' });
  const { samba, address } = await launch(authority, cards);
  const stop = async () => {
    await samba.stop();
    await rm(cards, { recursive: true, force: true });
  };
  const anchors = await readFile(caFile, 'utf8');
  return { ...samba, realm: adRealm, address: `${address}:88`, anchors, issue, stop };
}

/** @param cards the certificate of the KDC; without it no KDC is started */
async function launch(
  authority: Authority,
  cards: string | undefined,
): Promise<{ samba: Samba; address: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'aggregator-samba-'));
  const address = `127.${randomInt(1, 255)}.${randomInt(1, 255)}.${randomInt(1, 255)}`;
  await provision(folder, address);
  const { cert, key } = await authority.issue();
  await writeFile(join(folder, 'ca.pem'), authority.caPem);
  await writeFile(join(folder, 'cert.pem'), cert);
  await writeFile(join(folder, 'key.pem'), key);
  await chmod(join(folder, 'key.pem'), 0o600);
  await configure(folder, cards !== undefined);
  await writeFile(join(folder, 'krb5.conf'), kerberosOf(cards));
  const words = ['-F', '-s', `${folder}/etc/smb.conf`];
  const env = { ...process.env, KRB5_CONFIG: join(folder, 'krb5.conf') };
  const server = spawn('/usr/sbin/samba', words, { stdio: 'ignore', detached: true, env });
  // Its last ports.
  for (const port of cards === undefined ? [636] : [636, 88])
    await untilListening(server, { host: address, port });
  const tlsOptions = { ca: authority.caPem, servername: 'localhost' };
  const admin = new Client({ url: `ldaps://${address}`, tlsOptions });
  await admin.bind(adAdmin.bind_dn, adAdmin.bind_password);
  const stopAll = () => stop(admin, server, folder);
  return { samba: { url: `ldap://${address}`, ...administration(admin), stop: stopAll }, address };
}

function administration(admin: Client): Omit<Samba, 'url' | 'stop'> {
  const modify = (dn: string, attributes: readonly Attribute[]) =>
    admin.modify(
      dn,
      attributes.map((modification) => new Change({ operation: 'replace', modification })),
    );
  return {
    addUser: (name, more = {}) =>
      admin.add(adDn(name), [
        ...attributesOf({ objectClass: 'user', sAMAccountName: name, userAccountControl: '512', ...more }),
        passwordAttribute(adPassword(name)),
      ]),
    addGroup: (name, members, more = {}) =>
      admin.add(
        adDn(name),
        attributesOf({
          objectClass: 'group',
          sAMAccountName: name,
          ...(members.length > 0 && { member: members }),
          ...more,
        }),
      ),
    guidOf: async (name) => {
      const options = {
        scope: 'base' as const,
        attributes: ['objectGUID'],
        explicitBufferAttributes: ['objectGUID'],
      };
      const { searchEntries } = await admin.search(adDn(name), options);
      return Buffer.from(searchEntries[0]?.objectGUID as Buffer).toString('hex');
    },
    add: (dn, values) => admin.add(dn, attributesOf(values)),
    replace: (dn, values) => modify(dn, attributesOf(values)),
    rename: (dn, newRdn) => admin.modifyDN(dn, newRdn),
    setPassword: (name, password) => modify(adDn(name), [passwordAttribute(password)]),
  };
}

const attributesOf = (values: Values): Attribute[] =>
  Object.entries(values).map(([type, value]) => new Attribute({ type, values: [value].flat() }));

const passwordAttribute = (password: string): Attribute =>
  new Attribute({ type: 'unicodePwd', values: [Buffer.from(`"${password}"`, 'utf16le')] });

/** Copies a new domain, which takes seconds to make, to a folder and an address. */
async function provision(folder: string, address: string): Promise<void> {
  const { stdout: version } = await run('/usr/sbin/samba', ['--version']);
  const words = [
    ...['domain', 'provision', `--realm=${adRealm}`, '--domain=CORP', '--server-role=dc'],
    ...['--dns-backend=NONE', '--host-name=dc1', '--host-ip=127.0.0.1'],
    ...[`--adminpass=${adAdmin.bind_password}`, '--option=bind interfaces only=yes'],
    '--option=interfaces=127.0.0.1/8',
  ];
  const stamp = createHash('sha256')
    .update(JSON.stringify([version, words]))
    .digest('hex')
    .slice(0, 16);
  const domain = await preparedFolder('samba', stamp, async (part) => {
    await run('/usr/bin/samba-tool', [...words, `--targetdir=${part}`]);
  });
  await run('cp', ['--archive', `${domain}/.`, folder]);
  const file = join(folder, 'etc/smb.conf');
  const text = await readFile(file, 'utf8');
  // The paths are those of the folder in which it was made.
  const made = /^\s*private dir = (.*)\/private$/m.exec(text)?.[1] ?? domain;
  await writeFile(file, text.replaceAll(made, folder).replaceAll('127.0.0.1/8', `${address}/8`));
}

/** In its file and not on the command line: winbindd, which it starts, reads the file only. */
async function configure(folder: string, hasKdc: boolean): Promise<void> {
  const file = join(folder, 'etc/smb.conf');
  const options = [
    `server services=ldap, winbindd${hasKdc ? ', kdc' : ''}`,
    'ldap server require strong auth=no',
    'tls enabled=yes',
    `tls cafile=${folder}/ca.pem`,
    `tls certfile=${folder}/cert.pem`,
    `tls keyfile=${folder}/key.pem`,
    `pid directory=${folder}`,
    `log file=${folder}/log`,
    `ncalrpc dir=${folder}/ncalrpc`,
    `winbindd socket directory=${folder}/winbindd`,
  ];
  const text = await readFile(file, 'utf8');
  const own = text
    .split('\n')
    .filter((line) => !/^\s*(server services|log file) =/.test(line))
    .join('\n');
  await writeFile(file, own.replace('[global]', ['[global]', ...options].join('\n')));
}

const kerberosOf = (cards: string | undefined): string => `[libdefaults]
  default_realm = ${adRealm}
  dns_lookup_kdc = false
  dns_lookup_realm = false
${
  cards === undefined
    ? ''
    : `[kdc]
  enable-pkinit = yes
  pkinit_identity = FILE:${cards}/kdc.pem,${cards}/kdc.key
  pkinit_anchors = FILE:${cards}/ca.pem
`
}`;

/** Its workers are in its process group. */
async function stop(admin: Client, server: ChildProcess, folder: string): Promise<void> {
  await admin.unbind();
  const ended = new Promise((resolve) => server.once('close', resolve));
  if (server.pid !== undefined) process.kill(-server.pid, 'SIGTERM');
  await ended;
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
