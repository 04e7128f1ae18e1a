import { z } from 'zod';
import { shapesOf } from '../../fields.ts';
import { oidcFields } from './fields.ts';

/** Shape of the settings in requests. */
export const oidcShape = z.strictObject(shapesOf(oidcFields));

/** The parsed settings of an identity provider. */
export type OidcParams = z.output<typeof oidcShape>;

/** Stored settings with the defaults of members that an earlier version did not have. The secret is not included. */
export const storedParams = (params: Record<string, unknown>): OidcParams =>
  oidcShape.parse(
    Object.fromEntries(
      Object.keys(oidcFields).flatMap((name) =>
        name === 'client_secret' || params[name] === undefined ? [] : [[name, params[name]]],
      ),
    ),
  );

/** Shape of the settings in responses. */
export const oidcView = oidcShape.extend({
  client_secret: z.null().describe('Always null: the secret is never returned.'),
  client_secret_set: z.boolean().describe('True if a secret is stored.'),
});
