import type { ErrorCode, ErrorMembers } from '../../kernel/errors.ts';
import type { TransportError, TransportReason } from './transport.ts';

/** What an exchange without an answer is called towards callers. */
export const transportCodes = {
  timeout: 'upstream_timeout',
  tls: 'upstream_tls',
  address_not_allowed: 'upstream_refused',
  unreachable: 'upstream_failed',
  too_large: 'upstream_failed',
  redirect: 'upstream_failed',
  malformed: 'upstream_failed',
} as const satisfies Record<TransportReason, ErrorCode>;

/** What an exchange without an answer is called towards callers, with the reason where it says more than the code. */
export const problemOf = ({
  reason,
  tlsReason,
}: TransportError): { code: ErrorCode; members: ErrorMembers } => ({
  code: transportCodes[reason],
  members: reason === 'timeout' ? {} : { reason: tlsReason ?? reason },
});
