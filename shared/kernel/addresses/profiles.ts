import type { Detail } from '../../messages/message.ts';

export type Profile = {
  /** Accepted schemes in the form of `URL.protocol`. */
  protocols: readonly string[];
  /** The refusal of another scheme. */
  protocolDetail: Detail;
  /** Maximum length in characters. */
  most: number;
  /** A secret query is a credential: it is sealed, and answers contain `?…` in its place. */
  query: 'refused' | 'allowed' | 'secret';
  fragment: 'refused' | 'allowed';
  /** `base`: the path has no slash at its end. */
  path: 'refused' | 'allowed' | 'base';
  /** `as_written`: other systems compare the text, or people read it. Otherwise two spellings are stored alike. */
  stored: 'normalised' | 'as_written';
  /** The refusal of a private address outside of the allowed networks. Absent if the portal does not connect there. */
  networkDetail?: Detail;
};

const https = { protocols: ['https:'], protocolDetail: 'The URL must begin with https://' } as const;
const web = {
  protocols: ['https:', 'http:'],
  protocolDetail: 'The URL must begin with https:// or http://',
} as const;
const plain = { query: 'refused', fragment: 'refused', path: 'allowed' } as const;
const outbound = {
  networkDetail: 'Private addresses must be in the networks of ALLOWED_PRIVATE_NETWORKS',
} as const;

/** The kinds of addresses that come from outside. None may contain a user name or a password. */
export const profiles = {
  /** Base URL of a dispatcher node. */
  node: { ...https, ...plain, ...outbound, path: 'base', most: 2048, stored: 'normalised' },
  /** Address of a node for users: a host and a port. */
  origin: { ...https, ...plain, path: 'refused', most: 2048, stored: 'normalised' },
  /** Server of a directory: a host and a port. */
  directory: {
    protocols: ['ldap:', 'ldaps:'],
    protocolDetail: 'Must be ldap:// or ldaps:// with a host and a port',
    ...plain,
    ...outbound,
    path: 'refused',
    most: 300,
    stored: 'normalised',
  },
  /** Issuer of an identity provider, which tokens contain in the same spelling. */
  provider: { ...https, ...plain, ...outbound, most: 512, stored: 'as_written' },
  /** Configuration of an identity provider that is not below its issuer. */
  discovery: { ...https, ...plain, ...outbound, query: 'allowed', most: 512, stored: 'normalised' },
  /** Endpoint in the metadata of an identity provider (RFC 6749, 3.1). Calls check its address. */
  endpoint: { ...https, ...plain, query: 'allowed', most: 2048, stored: 'as_written' },
  /** Base URL of a peer aggregator, which its tokens contain in the same spelling. */
  peer: { ...web, ...plain, most: 512, stored: 'as_written' },
  /** Where a peer publishes its keys. */
  keys: { ...https, ...plain, ...outbound, most: 2048, stored: 'normalised' },
  /** Receiver of events. */
  webhook: {
    ...https,
    ...plain,
    query: 'secret',
    most: 2048,
    stored: 'normalised',
    networkDetail: 'Private addresses must be in the networks of WEBHOOK_NETWORKS',
  },
  /** Link of a node that users open. */
  link: {
    ...https,
    query: 'allowed',
    fragment: 'allowed',
    path: 'allowed',
    most: 2048,
    stored: 'as_written',
  },
  /** Web address that pages show. */
  download: {
    ...web,
    query: 'allowed',
    fragment: 'allowed',
    path: 'allowed',
    most: 2048,
    stored: 'as_written',
  },
  /** Where a program on the computer of the browser listens (RFC 8252, 7.3). */
  program: {
    protocols: ['http:'],
    protocolDetail: 'Must be http://127.0.0.1 or http://[::1], with any port and path',
    ...plain,
    query: 'allowed',
    most: 256,
    stored: 'as_written',
  },
} as const satisfies Record<string, Profile>;

export type ProfileName = keyof typeof profiles;

/** The profiles of addresses that the portal connects to. */
export type DestinationProfile = {
  [Name in ProfileName]: (typeof profiles)[Name] extends { networkDetail: Detail } ? Name : never;
}[ProfileName];

export const profileOf = (name: ProfileName): Profile => profiles[name];
