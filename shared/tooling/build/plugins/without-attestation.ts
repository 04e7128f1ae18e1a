import type { Plugin } from 'esbuild';

/**
 * Modules of the WebAuthn library that only attestation with certificates uses, by their paths in it, with the names that
 * other modules import. Passkeys with such a statement are refused before the library sees them.
 */
const unused: Readonly<Record<string, readonly string[]>> = {
  'helpers/convertX509PublicKeyToCOSE': ['convertX509PublicKeyToCOSE'],
  'helpers/getCertificateInfo': ['getCertificateInfo'],
  'helpers/isCertRevoked': ['isCertRevoked'],
  'helpers/validateCertificatePath': ['validateCertificatePath'],
  'helpers/validateExtFIDOGenCEAAGUID': ['validateExtFIDOGenCEAAGUID'],
  'metadata/verifyAttestationWithMetadata': ['verifyAttestationWithMetadata'],
  'metadata/verifyMDSBlob': ['verifyMDSBlob'],
  'services/metadataService': ['MetadataService'],
  'registration/verifications/verifyAttestationFIDOU2F': ['verifyAttestationFIDOU2F'],
  'registration/verifications/verifyAttestationAndroidSafetyNet': ['verifyAttestationAndroidSafetyNet'],
  'registration/verifications/verifyAttestationAndroidKey': ['verifyAttestationAndroidKey'],
  'registration/verifications/verifyAttestationApple': ['verifyAttestationApple'],
  'registration/verifications/tpm/verifyAttestationTPM': ['verifyAttestationTPM'],
};

const path = (names: string): RegExp =>
  new RegExp(`[\\\\/]@simplewebauthn[\\\\/]server[\\\\/]esm[\\\\/](${names})\\.js$`);

const unusedPath = path(
  Object.keys(unused)
    .map((name) => name.replaceAll('/', '[\\\\/]'))
    .join('|'),
);

/** Removes attestation with certificates from the WebAuthn library. It is more than half of a bundle with passkeys. */
export const withoutAttestation: Plugin = {
  name: 'passkeys without attestation certificates',
  setup: ({ onLoad }) => {
    onLoad({ filter: unusedPath }, ({ path: file }) => {
      const name = unusedPath.exec(file)?.[1]?.replaceAll('\\', '/') ?? '';
      return { contents: (unused[name] ?? []).map((one) => `export const ${one} = undefined;`).join('\n') };
    });
    // The root certificates of the vendors of authenticators.
    onLoad({ filter: path('services[\\\\/]settingsService') }, () => ({
      contents: `import { runtimeSupportsWebCryptoKeyAlg } from '../helpers/iso/isoCrypto/runtimeSupportsWebCryptoKeyAlg.js';
export const SettingsService = {
  getRootCertificates: () => [],
  runtimeSupportsPQC: () => runtimeSupportsWebCryptoKeyAlg('ML-DSA-44'),
};`,
    }));
  },
};
