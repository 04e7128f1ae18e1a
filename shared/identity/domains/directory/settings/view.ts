import { z } from 'zod';
import { type Fields, shapesOf } from '../../fields.ts';
import { Kerberos } from './shapes.ts';

/** Members whose returned form differs from the written form. */
const shown = {
  bind_password: z.null().describe('Always null: the password is never returned.'),
  bind_password_set: z.boolean().describe('True if a password is stored.'),
  hosts: z
    .array(z.string())
    .max(5)
    .describe(
      'Servers in the order in which they are tried. Empty if the caller lacks the permission for all sites.',
    ),
  kerberos: Kerberos.extend({
    kdc: z
      .array(z.string())
      .max(10)
      .describe(
        'Key distribution centres as `host:port`. Empty if the caller lacks the permission for all sites.',
      ),
    kdc_hostnames: z
      .array(z.string())
      .describe(
        'Accepted names in the certificate of the KDC. Empty if the caller lacks the permission for all sites.',
      ),
  })
    .nullable()
    .describe(
      'Parameters of logins with a certificate (Kerberos PKINIT). Null: such logins are not possible.',
    ),
};

/** Shape of the settings of a directory in responses. */
export const viewOf = (fields: Fields): z.ZodObject => z.strictObject(shapesOf(fields)).extend(shown);
