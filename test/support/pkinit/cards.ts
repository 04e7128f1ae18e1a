import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export const realm = 'PKINIT.TEST';

/** A card: its certificate, and `openssl` in place of its chip. */
export type CardFiles = {
  name: string;
  certificate: string;
  /** Of its issuer, for a chain. */
  issuer: string;
  sign(text: string): Promise<string>;
};
type Authority = 'ca' | 'other';
type CardOrder = {
  name: string;
  /** Subject of the certificate; default: the name of the card. */
  client?: string;
  section?: 'kdc' | 'kdc_host' | 'client' | 'client_upn' | 'client_any_upn' | 'no_purpose';
  curve?: boolean;
  days?: number;
  authority?: Authority | string;
};
export type IssueCard = (order: CardOrder) => Promise<CardFiles>;

/**
 * Creates certificate authorities and certificates in one folder. `ca` is the authority of the realm, `other` an
 * untrusted one; any other name is an intermediate authority, which is created on first use.
 */
export async function createCards(folder: string, realmName = realm) {
  const at = (file: string) => join(folder, file);
  const openssl = (args: readonly string[], client = 'none') =>
    run('/usr/bin/openssl', args, { cwd: folder, env: { ...process.env, REALM: realmName, CLIENT: client } });
  await writeFile(at('ext.cnf'), extensions);
  await writeFile(at('index.txt'), '');
  await writeFile(
    at('ca.cnf'),
    '[ca]\ndefault_ca=d\n[d]\ndatabase=index.txt\ndefault_md=sha256\ndefault_crl_days=9\n',
  );
  const root = [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '30',
    '-sha256',
    '-config',
    'ext.cnf',
  ];
  for (const name of ['ca', 'other'])
    await openssl([
      ...root,
      '-extensions',
      'root',
      '-subj',
      `/CN=${name}`,
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.pem`,
    ]);
  const writeList = () =>
    openssl([
      'ca',
      '-config',
      'ca.cnf',
      '-gencrl',
      '-keyfile',
      'ca.key',
      '-cert',
      'ca.pem',
      '-out',
      'crl.pem',
    ]);
  await writeList();
  const certify = async (name: string, client: string, section: string, authority: string, days: number) => {
    const subject = ['-subj', `/O=PKINIT test/CN=${client}`, '-config', 'ext.cnf'];
    await openssl(['req', '-new', '-key', `${name}.key`, ...subject, '-out', `${name}.csr`]);
    const by = ['-CA', `${authority}.pem`, '-CAkey', `${authority}.key`, '-CAcreateserial'];
    const how = ['-sha256', '-days', `${days}`, '-extfile', 'ext.cnf', '-extensions', section];
    await openssl(['x509', '-req', '-in', `${name}.csr`, ...by, ...how, '-out', `${name}.pem`], client);
  };
  const issue: IssueCard = async ({
    name,
    client = name,
    section = 'client',
    curve,
    days = 30,
    authority = 'ca',
  }) => {
    const kind = curve ? ['EC', '-pkeyopt', 'ec_paramgen_curve:P-256'] : ['RSA'];
    await openssl(['genpkey', '-algorithm', ...kind, '-out', `${name}.key`]);
    if (!['ca', 'other'].includes(authority)) await issueAuthority(authority);
    await certify(name, client, section, authority, days);
    return {
      name,
      certificate: await readFile(at(`${name}.pem`), 'utf8'),
      issuer: await readFile(at(`${authority}.pem`), 'utf8'),
      sign: async (text) => {
        await writeFile(at(`${name}.text`), Buffer.from(text, 'base64'));
        await openssl(['dgst', '-sha256', '-sign', `${name}.key`, '-out', `${name}.sig`, `${name}.text`]);
        return (await readFile(at(`${name}.sig`))).toString('base64');
      },
    };
  };
  const issueAuthority = async (name: string) => {
    await openssl(['genpkey', '-algorithm', 'RSA', '-out', `${name}.key`]);
    await certify(name, name, 'between', 'ca', 30);
  };
  const revoke = async ({ name }: CardFiles) => {
    await openssl([
      'ca',
      '-config',
      'ca.cnf',
      '-revoke',
      `${name}.pem`,
      '-keyfile',
      'ca.key',
      '-cert',
      'ca.pem',
    ]);
    await writeList();
  };
  return { issue, revoke, caFile: at('ca.pem') };
}

const end = `basicConstraints=CA:FALSE
keyUsage=digitalSignature,keyEncipherment,keyAgreement
subjectKeyIdentifier=hash
authorityKeyIdentifier=keyid
`;
const authority = (length: string) => `basicConstraints=critical,CA:TRUE${length}
keyUsage=critical,keyCertSign,cRLSign
subjectKeyIdentifier=hash
`;
const name = (section: string, type: number, parts: readonly string[]) => `[${section}]
realm=EXP:0,GeneralString:\${ENV::REALM}
name=EXP:1,SEQUENCE:${section}_name
[${section}_name]
type=EXP:0,INTEGER:${type}
parts=EXP:1,SEQUENCE:${section}_parts
[${section}_parts]
${parts.map((part, at) => `p${at}=GeneralString:${part}`).join('\n')}
`;

/** The variables of openssl; every one must be set for every call. */
const extensions = `[req]
distinguished_name=dn
[dn]
[root]
${authority('')}
[between]
${authority(',pathlen:0')}authorityKeyIdentifier=keyid
[kdc]
${end}extendedKeyUsage=1.3.6.1.5.2.3.5
subjectAltName=otherName:1.3.6.1.5.2.2;SEQUENCE:kdc_principal,DNS:kdc.pkinit.test
[kdc_host]
${end}extendedKeyUsage=serverAuth
subjectAltName=DNS:kdc.pkinit.test
[client]
${end}extendedKeyUsage=1.3.6.1.5.2.3.4
subjectAltName=otherName:1.3.6.1.5.2.2;SEQUENCE:client_principal
[client_upn]
${end}extendedKeyUsage=1.3.6.1.5.2.3.4,1.3.6.1.4.1.311.20.2.2,clientAuth
subjectAltName=otherName:1.3.6.1.4.1.311.20.2.3;UTF8:\${ENV::CLIENT}@\${ENV::REALM}
[client_any_upn]
${end}extendedKeyUsage=1.3.6.1.5.2.3.4,1.3.6.1.4.1.311.20.2.2,clientAuth
subjectAltName=otherName:1.3.6.1.4.1.311.20.2.3;UTF8:\${ENV::CLIENT}
[no_purpose]
${end}extendedKeyUsage=emailProtection
subjectAltName=otherName:1.3.6.1.5.2.2;SEQUENCE:client_principal
${name('kdc_principal', 2, ['krbtgt', `\${ENV::REALM}`])}${name('client_principal', 1, [`\${ENV::CLIENT}`])}`;
