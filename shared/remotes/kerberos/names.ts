import { Buffer } from 'node:buffer';
import {
  expectTag,
  explicit,
  generalString,
  integer,
  readAll,
  readFields,
  readInteger,
  readText,
  sequence,
  type Tlv,
  tags,
} from '../../kernel/crypto/der.ts';

/** A principal; `type` is 1 (user), 2 (service) or 10 (enterprise name). */
export type Principal = { type: number; parts: readonly string[]; realm: string };

export const nameTypes = { principal: 1, service: 2, enterprise: 10 } as const;

/** The ticket-granting service, which is also the name in the certificate of a KDC. */
export const ticketService = (realm: string): Principal => ({
  type: nameTypes.service,
  parts: ['krbtgt', realm],
  realm,
});

/** `user@REALM`; an enterprise name is unchanged, because it contains its own domain. */
export const spelled = ({ type, parts, realm }: Principal): string =>
  type === nameTypes.enterprise ? parts.join('/') : `${parts.join('/')}@${realm}`;

/** PrincipalName (RFC 4120, 5.2.2). */
export const principalName = ({ type, parts }: Principal): Buffer =>
  sequence(explicit(0, integer(type)), explicit(1, sequence(...parts.map(generalString))));

/** KRB5PrincipalName (RFC 4556, 3.2.2). */
export const realmAndName = (principal: Principal): Buffer =>
  sequence(explicit(0, generalString(principal.realm)), explicit(1, principalName(principal)));

/** @throws DerError */
export function readPrincipal(name: Tlv, realm: Tlv): Principal {
  const fields = readFields(name);
  return {
    type: readInteger(fields(0)),
    parts: readAll(fields(1, tags.sequence).content).map((part) =>
      readText(expectTag(part, tags.generalString)),
    ),
    realm: readText(expectTag(realm, tags.generalString)),
  };
}

/** @throws DerError */
export function readRealmAndName(value: Tlv): Principal {
  const fields = readFields(value);
  return readPrincipal(fields(1), fields(0));
}

/** Name types are hints (RFC 4120, 6.2): principals are equal if the realm and all parts are. */
export const isSamePrincipal = (a: Principal, b: Principal): boolean =>
  a.realm === b.realm &&
  a.parts.length === b.parts.length &&
  a.parts.every((part, at) => Buffer.from(part).equals(Buffer.from(b.parts[at] ?? '')));
