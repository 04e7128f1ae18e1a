import { fieldErrors } from '../../http/declare/field-errors.ts';
import type { FieldError } from '../../kernel/errors.ts';
import type { Detail } from '../../messages/message.ts';
import { directoryFault, parseDirectoryUrl, parseKdc } from '../../remotes/directory/address.ts';
import type { UrlPolicy } from '../../remotes/http/address-policy.ts';
import { type DirectoryParams, type DomainType, paramShapes } from './catalogue.ts';

type Read = { directory: DirectoryParams | undefined; faults: FieldError[] };

/** Parameters as sent, read by the shape of the type; an internal domain has none. */
export function readParams(type: DomainType, given: Record<string, unknown>): Read {
  const shape = type === 'internal' ? undefined : paramShapes[type];
  const { data, error } = (shape ?? paramShapes.internal).safeParse(given, { reportInput: true });
  return {
    directory: shape && (data as DirectoryParams | undefined),
    faults: fieldErrors(error, '/').map(below),
  };
}

const below = ({ pointer, ...rest }: FieldError): FieldError => ({ ...rest, pointer: `/params${pointer}` });

type DirectoryCheck = {
  name: string;
  /** Of use to whoever tests; a domain may be saved all the same. */
  advisory?: true;
  /** @returns the faults, or a sentence that says why there is nothing to check */
  run(params: DirectoryParams, hasPassword: boolean, policy: UrlPolicy): FieldError[] | Detail;
};

/** What can be said of the parameters of a directory without asking it. */
export const directoryChecks: readonly DirectoryCheck[] = [
  {
    name: 'addresses',
    run: ({ hosts, start_tls }, _, policy) =>
      hosts.flatMap((text, at) => {
        const peer = parseDirectoryUrl(text);
        return notAllowed(
          `/params/hosts/${at}`,
          peer && directoryFault(peer, peer.encrypted || start_tls, policy),
        );
      }),
  },
  {
    name: 'account',
    advisory: true,
    run: ({ bind_dn }, hasPassword) => {
      if (bind_dn === '' && !hasPassword) return 'The directory is searched anonymously';
      if (bind_dn !== '' && hasPassword) return [];
      return bind_dn === ''
        ? [{ pointer: '/params/bind_dn', code: 'required', detail: 'A password requires an account' }]
        : [{ pointer: '/params/bind_password', code: 'required', detail: 'An account requires a password' }];
    },
  },
  {
    name: 'kerberos',
    run: ({ kerberos }, _, policy) => {
      if (!kerberos) return 'No Kerberos parameters are set';
      return kerberos.kdc.flatMap((text, at) => {
        const peer = parseKdc(text);
        return notAllowed(`/params/kerberos/kdc/${at}`, peer && directoryFault(peer, peer.encrypted, policy));
      });
    },
  },
];

const notAllowed = (pointer: string, detail: Detail | undefined): FieldError[] =>
  detail === undefined ? [] : [{ pointer, code: 'address_not_allowed', detail }];
