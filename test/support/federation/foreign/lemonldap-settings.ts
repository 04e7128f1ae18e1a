import { generateKeyPairSync } from 'node:crypto';
import { join } from 'node:path';

export type LemonldapClient = { id: string; secret: string };

type Settings = {
  folder: string;
  origin: string;
  /** Origin of the server with the users. */
  users: string;
  client: LemonldapClient;
  /** Of the portal's addresses for providers. */
  base: string;
};

/** The configuration file of a LemonLDAP::NG, with the names of its documentation. */
export const configurationOf = (settings: Settings) => ({
  cfgNum: 1,
  cfgAuthor: 'test',
  cfgDate: 1,
  cfgVersion: '2.16.1',
  portal: `${settings.origin}/`,
  domain: 'localhost',
  securedCookie: 1,
  key: 'only for this test',
  // Otherwise an account that is logged in may not open the pages of the provider.
  locationRules: { localhost: { default: 'accept' } },
  exportedHeaders: {},
  ...storesIn(settings.folder),
  authentication: 'REST',
  userDB: 'REST',
  restAuthUrl: `${settings.users}/login`,
  restUserDBUrl: `${settings.users}/user`,
  macros: { _whatToTrace: '$_user' },
  whatToTrace: '_whatToTrace',
  ...providerOf(settings),
});

function storesIn(folder: string) {
  const files = { Directory: join(folder, 'sessions'), LockDirectory: join(folder, 'locks') };
  return {
    globalStorage: 'Apache::Session::File',
    globalStorageOptions: files,
    persistentStorage: 'Apache::Session::File',
    persistentStorageOptions: files,
    localSessionStorageOptions: {
      cache_root: join(folder, 'cache'),
      namespace: 'sessions',
      default_expires_in: 600,
      directory_umask: '007',
      cache_depth: 3,
    },
  };
}

/** The issuer, with the portal as the relying party `portal`. */
function providerOf({ client, base }: Settings) {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2_048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const options = {
    ClientID: client.id,
    ClientSecret: client.secret,
    RedirectUris: `${base}/callback`,
    PostLogoutRedirectUris: `${base}/signed-out`,
    IDTokenSignAlg: 'RS256',
    RequirePKCE: 1,
    BypassConsent: 1,
    RefreshToken: 1,
    AllowOffline: 1,
  };
  return {
    issuerDBOpenIDConnectActivation: 1,
    oidcServicePrivateKeySig: privateKey,
    oidcServicePublicKeySig: publicKey,
    oidcServiceKeyIdSig: 'key',
    oidcRPMetaDataOptions: {
      portal: Object.fromEntries(
        Object.entries(options).map(([name, value]) => [`oidcRPMetaDataOptions${name}`, value]),
      ),
    },
    oidcRPMetaDataExportedVars: {
      portal: { name: 'cn', preferred_username: 'uid', email: 'mail', groups: 'groups;string;always' },
    },
    oidcRPMetaDataOptionsExtraClaims: { portal: { groups: 'groups' } },
  };
}

/** The file that `LLNG_DEFAULTCONFFILE` names. */
export const localSettings = (folder: string): string => `[all]
logLevel = error
[configuration]
type = File
dirName = ${join(folder, 'conf')}
[portal]
staticPrefix = /static
templateDir = /usr/share/lemonldap-ng/portal/templates
languages = en
[handler]
`;
