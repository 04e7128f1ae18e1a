import { z } from 'zod';
import { Id, idOf, Moment } from '../../../shared/shapes/fields.ts';

/** Nodes of one response. */
export const mostNodes = 1_000;
/** Certificates of one bundle of authorities. */
export const mostAuthorities = 20;

const Certificate = z.strictObject({
  use: z
    .enum(['presented', 'trusted'])
    .describe(
      '`presented`: the node identifies itself with it; `trusted`: the portal trusts it for the node.',
    ),
  subject: z.string().meta({ example: 'CN=node.example.com' }).describe('Subject of the certificate.'),
  issuer: z.string().meta({ example: 'CN=Example CA' }).describe('Issuer of the certificate.'),
  not_after: Moment.describe('When the certificate expires.'),
  fingerprint: z
    .string()
    .nullable()
    .describe('SHA-256 of the certificate, hexadecimal. Null for a presented certificate.'),
  dispatcher_id: idOf('dispatcher').describe('Identifier of the node.'),
  dispatcher_name: z.string().describe('Name of the node.'),
  farm_name: z.string().describe('Name of the farm of the node.'),
  site_id: Id.describe('Identifier of the site of the node.'),
  site_name: z.string().describe('Name of the site of the node.'),
});

export const Certificates = z.strictObject({
  items: z
    .array(Certificate)
    .max(mostNodes * (mostAuthorities + 1))
    .describe('The certificates, in order of expiry.'),
});
