import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAuthority } from '../../simulator/authority.ts';

export const hasPostfix = existsSync('/usr/sbin/postfix') && process.getuid?.() === 0;
/** Postfix that verifies logins with the SASL database of a test. */
export const hasPostfixLogins = hasPostfix && existsSync('/usr/sbin/saslpasswd2');

/** An account of a mail server. */
export type MailAccount = { user: string; password: string };

/** Postfix on two ports of this machine: STARTTLS is required on the one, TLS on the other. */
export type Postfix = {
  url: { starttls: string; tls: string };
  /** The authority of its certificate. */
  caPem: string;
  /** Mails that were delivered, with their headers as on the wire, by the name of their file. */
  mails(): Promise<Map<string, string>>;
  stop(): Promise<void>;
};

/** Debian's account without rights. */
const nobody = 65_534;

/** @param account with which clients must log in; without it no login is offered */
export async function startPostfix(
  [starttls = 0, tls = 0]: readonly number[],
  account?: MailAccount,
): Promise<Postfix> {
  const folder = await mkdtemp(join(tmpdir(), 'aggregator-postfix-'));
  const authority = await createAuthority('Mail servers');
  const { key, cert } = await authority.issue();
  await chmod(folder, 0o755);
  for (const name of ['conf', 'queue', 'data', 'mail']) await mkdir(join(folder, name));
  await writeFile(join(folder, 'key.pem'), key, { mode: 0o600 });
  await writeFile(join(folder, 'cert.pem'), cert);
  await chown(join(folder, 'mail'), nobody, nobody);
  execFileSync('chown', ['postfix', join(folder, 'data')]);
  if (account) await addAccount(folder, account);
  await writeFile(join(folder, 'conf', 'main.cf'), mainOf(folder) + (account ? loginsOf : ''));
  await writeFile(join(folder, 'conf', 'master.cf'), masterOf(starttls, tls));
  const server = spawn('/usr/sbin/postfix', ['-c', join(folder, 'conf'), 'start-fg'], { stdio: 'ignore' });
  await listens(starttls);
  await listens(tls);
  return {
    url: { starttls: `smtp://localhost:${starttls}`, tls: `smtps://localhost:${tls}` },
    caPem: authority.caPem,
    mails: async () => {
      const inbox = join(folder, 'mail', 'inbox', 'new');
      const names = await readdir(inbox).catch(() => []);
      const read = async (name: string) => [name, await readFile(join(inbox, name), 'utf8')] as const;
      return new Map(await Promise.all(names.map(read)));
    },
    stop: async () => {
      await ended(server, folder);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Writes the SASL database, which holds the password of the account, and makes postfix use it. */
async function addAccount(folder: string, { user, password }: MailAccount): Promise<void> {
  const database = join(folder, 'sasldb2');
  execFileSync('/usr/sbin/saslpasswd2', ['-c', '-p', '-f', database, '-u', realm, user], { input: password });
  execFileSync('chown', ['postfix', database]);
  // Debian's postfix reads this file from the folder `sasl` of its configuration only.
  await mkdir(join(folder, 'conf', 'sasl'));
  await writeFile(
    join(folder, 'conf', 'sasl', 'smtpd.conf'),
    `pwcheck_method: auxprop\nauxprop_plugin: sasldb\nsasldb_path: ${database}\nmech_list: PLAIN LOGIN\n`,
  );
}

async function ended(server: ChildProcess, folder: string): Promise<void> {
  const exited = new Promise((resolve) => server.once('exit', resolve));
  execFileSync('/usr/sbin/postfix', ['-c', join(folder, 'conf'), 'stop'], { stdio: 'ignore' });
  await exited;
}

const mainOf = (folder: string): string => `
compatibility_level = 3.6
queue_directory = ${folder}/queue
data_directory = ${folder}/data
mail_owner = postfix
setgid_group = postdrop
command_directory = /usr/sbin
daemon_directory = /usr/lib/postfix/sbin
myhostname = mail.example.com
mydestination =
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
smtpd_tls_cert_file = ${folder}/cert.pem
smtpd_tls_key_file = ${folder}/key.pem
smtpd_tls_security_level = encrypt
smtpd_tls_received_header = yes
smtpd_relay_restrictions = permit_mynetworks, reject
smtpd_client_connection_rate_limit = 0
virtual_mailbox_domains = example.com
virtual_mailbox_base = ${folder}/mail
virtual_mailbox_maps = static:inbox/
virtual_minimum_uid = 100
virtual_uid_maps = static:${nobody}
virtual_gid_maps = static:${nobody}
`;

const realm = 'example.com';

/** Only clients that have logged in may send, and they can log in over TLS only. */
const loginsOf = `
smtpd_sasl_auth_enable = yes
smtpd_sasl_type = cyrus
smtpd_sasl_path = smtpd
smtpd_sasl_local_domain = ${realm}
smtpd_tls_auth_only = yes
smtpd_client_restrictions = permit_sasl_authenticated, reject
smtpd_relay_restrictions = permit_sasl_authenticated, reject
smtpd_sasl_authenticated_header = yes
`;

const masterOf = (starttls: number, tls: number): string => `
127.0.0.1:${starttls} inet n - n - - smtpd
127.0.0.1:${tls} inet n - n - - smtpd -o smtpd_tls_wrappermode=yes
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
proxymap unix - - n - - proxymap
anvil unix - - n - 1 anvil
tlsmgr unix - - n 1000? 1 tlsmgr
virtual unix - n n - - virtual
`;

/** Retries until a connection is accepted; the time limit of the hook ends it otherwise. */
async function listens(port: number): Promise<void> {
  const isThere = await new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => socket.end(() => resolve(true)));
    socket.once('error', () => resolve(false));
  });
  if (isThere) return;
  await new Promise((resolve) => setTimeout(resolve, 50));
  await listens(port);
}
