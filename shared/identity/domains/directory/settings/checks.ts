import type { FieldError } from '../../../../kernel/errors.ts';
import { type Detail, message } from '../../../../messages/message.ts';
import { directoryFault, parseDirectoryUrl, parseKdc } from '../../../../remotes/directory/address.ts';
import type { SettingsCheck } from '../../domain-type.ts';
import type { DirectoryParams, DirectoryVariant } from '../variant.ts';
import { isReadable, unreadableParams } from './readable-attributes.ts';

type Check = SettingsCheck<DirectoryParams>;

const addresses: Check = {
  name: 'addresses',
  run: ({ hosts, start_tls }, { policy }) =>
    hosts.flatMap((text, at) => {
      const peer = parseDirectoryUrl(text);
      return notAllowed(
        `/params/hosts/${at}`,
        peer && directoryFault(peer, peer.encrypted || start_tls, policy),
      );
    }),
};

const account: Check = {
  name: 'account',
  advisory: true,
  run: ({ bind_dn }, { hasSecret }) => {
    const hasPassword = hasSecret('bind_password');
    if (bind_dn === '' && !hasPassword) return 'The directory is searched anonymously';
    if (bind_dn !== '' && hasPassword) return [];
    return bind_dn === ''
      ? [{ pointer: '/params/bind_dn', code: 'required', detail: 'A password requires an account' }]
      : [{ pointer: '/params/bind_password', code: 'required', detail: 'An account requires a password' }];
  },
};

const kdcAddresses: Check = {
  name: 'kerberos',
  run: ({ kerberos }, { policy }) => {
    if (!kerberos) return 'No Kerberos parameters are set';
    return kerberos.kdc.flatMap((text, at) => {
      const peer = parseKdc(text);
      return notAllowed(`/params/kerberos/kdc/${at}`, peer && directoryFault(peer, peer.encrypted, policy));
    });
  },
};

const readableAttributes = (variant: DirectoryVariant): Check => ({
  name: 'attributes',
  run: (params, { parameters, tolerated, attributes }) => [
    ...unreadableParams(variant, params, parameters, tolerated).map(notReadable),
    ...attributes
      .filter(({ source }) => !isReadable(variant, source, parameters))
      .map(
        ({ source }): FieldError => ({
          pointer: '/attributes',
          code: 'not_allowed',
          detail: message('Reading {attribute} is not allowed', { attribute: source }),
        }),
      ),
  ],
});

/** Checks of the settings of a directory without the network, in the order in which a test reports them. */
export const directoryChecks = (variant: DirectoryVariant): Check[] => [
  addresses,
  account,
  kdcAddresses,
  readableAttributes(variant),
];

const notAllowed = (pointer: string, detail: Detail | undefined): FieldError[] =>
  detail === undefined ? [] : [{ pointer, code: 'address_not_allowed', detail }];

const notReadable = (name: string): FieldError => ({
  pointer: `/params/${name}`,
  code: 'not_allowed',
  detail: 'This attribute must not be read; add it to `directory.extra_attributes` to allow it',
});
