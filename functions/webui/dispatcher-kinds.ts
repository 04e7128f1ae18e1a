import { z } from 'zod';
import { capabilities, dispatcherKindNames } from '../../shared/remotes/dispatcher/capabilities.ts';

export const DispatcherKind = z.enum(dispatcherKindNames);

export const Capabilities = z
  .array(z.enum(capabilities))
  .meta({ example: ['messages', 'session_logoff'] })
  .describe(
    'What dispatchers of this type can do. An operation that they cannot do fails with `invalid_state`, `reason` `not_supported_by_dispatcher`, before any call.',
  );
