import { Work } from '../../kernel/concurrency/work.ts';
import { AppError } from '../../kernel/errors.ts';
import type { Text } from '../../messages/message.ts';

/** Keywords of RFC 7644 (3.12) and RFC 9865 (2.2) that a request can cause. */
export type ScimType =
  | 'invalidCount'
  | 'invalidCursor'
  | 'invalidFilter'
  | 'invalidPath'
  | 'invalidSyntax'
  | 'invalidValue'
  | 'mutability'
  | 'noTarget'
  | 'tooMany';

export const scimError = (scim_type: ScimType, detail: Text): AppError =>
  new AppError('invalid_request', detail, { scim_type });

/** The work of one request of a client. */
export const scimWork = (): Work =>
  new Work(() =>
    scimError('tooMany', 'The request needs too much work: send fewer changes, values or conditions'),
  );
