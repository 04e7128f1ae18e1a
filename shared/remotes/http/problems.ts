import type { ErrorCode, ErrorMembers } from '../../kernel/errors.ts';
import type { TransportError, TransportReason } from './transport.ts';

/** Problem codes for failed exchanges. */
export const transportCodes = {
  timeout: 'upstream_timeout',
  tls: 'upstream_tls',
  address_not_allowed: 'upstream_refused',
  unreachable: 'upstream_failed',
  too_large: 'upstream_failed',
  redirect: 'upstream_failed',
  malformed: 'upstream_failed',
} as const satisfies Record<TransportReason, ErrorCode>;

/** Problem code for a failed exchange, with the reason if it adds information. */
export const problemOf = ({
  reason,
  tlsReason,
}: TransportError): { code: ErrorCode; members: ErrorMembers } => ({
  code: transportCodes[reason],
  members: reason === 'timeout' ? {} : { reason: tlsReason ?? reason },
});
