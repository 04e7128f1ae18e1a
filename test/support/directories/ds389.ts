import { execFile, execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePorts } from '../../e2e/support/portal-process.ts';
import { baseEntries, reader, suffix } from './slapd.ts';

const run = promisify(execFile);
const defaults = '/usr/share/dirsrv/inf/defaults.inf';
export const hasDs389 =
  [defaults, '/usr/sbin/dscreate', '/usr/sbin/ns-slapd', '/usr/bin/ldapmodify'].every(existsSync) &&
  process.getuid?.() === 0;

export type Ds389 = {
  url: string;
  /** Adds or changes entries: LDIF, as the directory manager. */
  change(ldif: string): void;
  stop(): Promise<void>;
};

const owner = { dn: 'cn=Directory Manager', password: 'owner-secret' };

/**
 * A throwaway 389 Directory Server with the memberOf plugin; all of its files are in a separate folder.
 * @param ldif its entries below the suffix
 */
export async function startDs389(ldif: string): Promise<Ds389> {
  const folder = await mkdtemp(join(tmpdir(), 'aggregator-ds389-'));
  // It runs as a separate user.
  await chmod(folder, 0o755);
  const [port = 0, securePort = 0] = await freePorts(2);
  await writeDefaults(folder);
  await writeFile(join(folder, 'instance.inf'), instanceOf(folder, port, securePort));
  const env = { ...process.env, PREFIX: folder };
  await run('/usr/sbin/dscreate', ['from-file', join(folder, 'instance.inf')], { env, cwd: folder });
  const url = `ldap://127.0.0.1:${port}`;
  const change = (text: string): void => {
    const words = ['-a', '-H', url, '-D', owner.dn, '-w', owner.password, '-x'];
    execFileSync('/usr/bin/ldapmodify', words, { input: text, stdio: ['pipe', 'ignore', 'pipe'] });
  };
  change(`${settings}\n${baseEntries}\n${ldif}`);
  return { url, change, stop: () => stop(folder) };
}

/** Its tools read every path from one file, which they search below PREFIX first. */
async function writeDefaults(folder: string): Promise<void> {
  const own: Record<string, string> = {
    with_systemd: '0',
    initconfig_dir: 'etc',
    config_dir: 'etc/slapd-{instance_name}',
    schema_dir: 'etc/slapd-{instance_name}/schema',
    cert_dir: 'etc/slapd-{instance_name}',
    local_state_dir: 'var',
    run_dir: 'run',
    ldapi: 'run/slapd.socket',
    pid_file: 'run/slapd.pid',
    inst_dir: 'inst',
    tmp_dir: 'tmp',
    tmpfiles_d: 'tmpfiles.d',
    lock_dir: 'lock',
    log_dir: 'log',
    access_log: 'log/access',
    audit_log: 'log/audit',
    error_log: 'log/errors',
    db_dir: 'db',
    db_home_dir: 'db-home',
    backup_dir: 'backup',
    ldif_dir: 'ldif',
  };
  const lines = (await readFile(defaults, 'utf8')).split('\n').map((line) => {
    const name = line.split(' = ')[0] ?? '';
    const value = own[name];
    if (value === undefined) return line;
    return `${name} = ${value === '0' ? value : join(folder, value)}`;
  });
  // Folders that dscreate creates are inaccessible to the user of the server.
  const folders = ['share/dirsrv/inf', 'etc', 'run', 'log', 'var', 'tmp', 'inst', 'tmpfiles.d'];
  for (const name of folders) await mkdir(join(folder, name), { recursive: true });
  await writeFile(join(folder, 'share/dirsrv/inf/defaults.inf'), lines.join('\n'));
}

const instanceOf = (folder: string, port: number, securePort: number): string => `
[general]
full_machine_name = localhost
strict_host_checking = False
selinux = False
systemd = False
[slapd]
instance_name = test
port = ${port}
secure_port = ${securePort}
root_password = ${owner.password}
self_sign_cert = False
db_dir = ${folder}/db
db_home_dir = ${folder}/db-home
backup_dir = ${folder}/backup
ldif_dir = ${folder}/ldif
[backend-userroot]
suffix = ${suffix}
sample_entries = no
`;

/** Nested memberships are written when a group is, so the plugin starts before there are entries. */
const settings = `dn: cn=config
changetype: modify
replace: nsslapd-dynamic-plugins
nsslapd-dynamic-plugins: on

dn: cn=MemberOf Plugin,cn=plugins,cn=config
changetype: modify
replace: nsslapd-pluginEnabled
nsslapd-pluginEnabled: on

`;

async function stop(folder: string): Promise<void> {
  const pid = Number((await readFile(join(folder, 'run/slapd.pid'), 'utf8')).trim());
  process.kill(pid, 'SIGTERM');
  while (isRunning(pid)) await delay(20);
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** The schema additions of FreeIPA for the identifier of an entry. */
export const ipaSchema = `dn: cn=schema
changetype: modify
add: attributeTypes
attributeTypes: ( 2.16.840.1.113730.3.8.3.1 NAME 'ipaUniqueID' EQUALITY caseIgnoreMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )
-
add: objectClasses
objectClasses: ( 2.16.840.1.113730.3.8.4.1 NAME 'ipaObject' AUXILIARY MUST ipaUniqueID )

`;

/** Attributes of an entry of FreeIPA, whose server generates the identifier. */
export const ipaObject = (...objectClass: string[]) => ({
  objectClass: [...objectClass, 'ipaObject'],
  ipaUniqueID: randomUUID(),
});

/** The permission to read everything below the suffix, and password expiry, for the search account. */
export const readerRights = `dn: ${suffix}
changetype: modify
add: aci
aci: (targetattr="*")(version 3.0; acl "reader"; allow (read,search,compare) userdn="ldap:///${reader.bind_dn}";)

`;
