import { z } from 'zod';
import { Id, idOf, Moment } from '../../../shared/shapes/fields.ts';

/** Objects of each type in one response. */
export const mostObjects = 1_000;
/** Certificates of one bundle of authorities. */
export const mostAuthorities = 20;
/** Types of objects with certificates, and bundles of an object. */
const types = ['dispatcher', 'authenticator', 'peer', 'webhook'] as const;

const Certificate = z.strictObject({
  use: z
    .enum(['presented', 'trusted', 'kdc'])
    .describe(
      '`presented`: the node identifies itself with it; `trusted`: the portal trusts it as an authority for TLS connections to the object; `kdc`: the portal trusts it as an authority for the KDC of the domain (PKINIT).',
    ),
  subject: z.string().meta({ example: 'CN=node.example.com' }).describe('Subject of the certificate.'),
  issuer: z.string().meta({ example: 'CN=Example CA' }).describe('Issuer of the certificate.'),
  not_before: Moment.nullable().describe(
    'When the certificate becomes valid. Null for a presented certificate until the next probe of the node.',
  ),
  not_after: Moment.describe('When the certificate expires.'),
  fingerprint: z
    .string()
    .nullable()
    .describe(
      'SHA-256 of the certificate, hexadecimal. Null for a presented certificate until the next probe of the node.',
    ),
  object_type: z
    .enum(types)
    .describe(
      'Type of the object that the certificate belongs to: `dispatcher`, `authenticator`, `peer` or `webhook`.',
    ),
  object_id: Id.describe('Identifier of the object.'),
  object_name: z.string().describe('Name of the object.'),
  farm_name: z.string().nullable().describe('Name of the farm of the node. Null for other objects.'),
  site_id: idOf('site').nullable().describe('Identifier of the site of the node. Null for other objects.'),
  site_name: z.string().nullable().describe('Name of the site of the node. Null for other objects.'),
});

export const Certificates = z.strictObject({
  items: z
    .array(Certificate)
    .max(types.length * mostObjects * (2 * mostAuthorities + 1))
    .describe('The certificates, in order of expiry.'),
});
