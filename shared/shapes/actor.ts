import { z } from 'zod';
import { actors } from '../kernel/names/actors.ts';

/** What acted, beside the name in an audit event. */
export const ActorOfEvent = z
  .enum(actors)
  .nullable()
  .describe(
    'What acted: `user`; `service_token`, with the account of a user; `peer`; `operator`, a command on the server; `agent`, `gateway` or `portal`, a machine; `job`, the portal itself; `anonymous`, a caller without a session. A user can have the name of any of them. Null for events of earlier versions.',
  );
