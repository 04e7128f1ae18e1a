import { z } from 'zod';
import { Id, Moment, PlainName } from '../../shapes/fields.ts';
import { listQuery } from '../../shapes/list.ts';

export const PasskeyName = PlainName.meta({ example: 'Laptop' }).describe('Name of the passkey.');

export const Passkey = z.strictObject({
  id: Id.describe('Identifier of the passkey. Set by the portal.'),
  name: z.string().describe('Name of the passkey.'),
  synced: z
    .boolean()
    .describe(
      'True if a password manager can copy the passkey to other devices, false if it stays in one device.',
    ),
  backed_up: z.boolean().describe('True if the passkey was backed up when it was last used.'),
  transports: z.array(z.string()).describe('Transports of the authenticator, such as `internal` or `usb`.'),
  created_at: Moment.describe('When the passkey was added.'),
  last_used_at: Moment.nullable().describe('When the passkey was last used. Null before the first use.'),
  blocked_at: Moment.nullable().describe(
    'When the passkey was blocked because its counter was used before, which can mean a copy. Null if it is not blocked.',
  ),
});

export const PasskeysQuery = listQuery(['created_at'], {});
