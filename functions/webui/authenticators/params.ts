import { unreadableParams } from '../../../shared/identity/domains/attributes.ts';
import type { DirectoryParams, DomainType } from '../../../shared/identity/domains/catalogue.ts';
import { directoryChecks, readParams } from '../../../shared/identity/domains/checks.ts';
import { AppError, type FieldError, invalid } from '../../../shared/kernel/errors.ts';
import { canonicalJson } from '../../../shared/kernel/json/json.ts';
import type { Detail } from '../../../shared/messages/message.ts';
import type { WebuiCtx } from '../deps.ts';

/** What a domain has stored: its parameters as they are read, and its secret as it is sealed. */
export type Stored = { params: Record<string, unknown>; sealed_password: string | null };
type Given = { type: DomainType; params: Record<string, unknown> };

/** Parameters in their two forms: as the audit shows them, and as the table holds them. */
export type Settled = { shown: Record<string, unknown>; columns: { params: Record<string, unknown> } };

const masked = '***';

/** `GET` gave it, so a write ignores it. */
export const withoutReadOnly = ({ bind_password_set: _, ...params }: Record<string, unknown>) => params;

/**
 * The parameters that a write gives a domain. A secret that is not sent again stays, unless the account goes.
 * @throws AppError `invalid_request` for what the type or the address policy does not allow; `secret_required`
 */
export async function settleParams(
  ctx: WebuiCtx,
  id: string,
  { type, params }: Given,
  stored?: Stored,
): Promise<Settled> {
  const { directory, faults } = readParams(type, withoutReadOnly(params));
  if (faults.length > 0) throw invalid(...faults);
  if (!directory) return { shown: {}, columns: { params: {} } };
  assertAllowed(ctx, directory);
  const unreadable = unreadableParams(type, directory, ctx.parameters, stored?.params);
  if (unreadable.length > 0) throw invalid(...unreadable.map(notReadable));
  const sent = directory.bind_password;
  const kept = sent === null ? keptSecret(directory, stored) : null;
  const place = { table: 'authenticators', row: id, column: 'params.bind_password' };
  const sealed = sent === null ? kept : await ctx.deps.sealer.seal(sent, place);
  const shown = sent === null ? null : masked;
  return {
    shown: { ...directory, bind_password: shown, bind_password_set: sealed !== null },
    columns: { params: { ...directory, bind_password: sealed } },
  };
}

/**
 * A stored secret is used only with the account, the servers, the base and the filter that it was stored with. Otherwise
 * a caller who may write or test a domain could read with the stored account all that this account may read.
 * @returns the secret as sealed, or null when there is none or its account is gone
 * @throws AppError `secret_required`
 */
export function keptSecret(next: DirectoryParams, stored: Stored | undefined): string | null {
  if (!stored || stored.sealed_password === null) return null;
  if (next.bind_dn === '' && stored.params.bind_dn !== '') return null;
  if (destinationOf(next) !== destinationOf(stored.params))
    throw secretRequired('The destination has changed');
  if (searchOf(next) !== searchOf(stored.params))
    throw secretRequired('The search account, base or filter has changed');
  return stored.sealed_password;
}

export const notReadable = (name: string): FieldError => ({
  pointer: `/params/${name}`,
  code: 'not_allowed',
  detail: 'This attribute must not be read; add it to `directory.extra_attributes` to allow it',
});

const searchOf = ({ base_dn, user_filter, bind_dn }: Record<string, unknown>): string =>
  canonicalJson([base_dn, user_filter, bind_dn]);

const secretRequired = (detail: Detail): AppError =>
  new AppError('secret_required', undefined, {
    errors: [{ pointer: '/params/bind_password', code: 'required', detail }],
  });

/** In which order the servers are asked does not matter to the secret. */
const destinationOf = ({ hosts, start_tls, ca_certificate }: Record<string, unknown>): string =>
  canonicalJson([Array.isArray(hosts) ? hosts.toSorted() : hosts, start_tls, ca_certificate]);

function assertAllowed(ctx: WebuiCtx, params: DirectoryParams): void {
  const found = directoryChecks
    .filter(({ advisory }) => !advisory)
    .map(({ run }) => run(params, false, ctx.deps.outbound));
  const faults = found.flatMap((result) => (typeof result === 'string' ? [] : result));
  if (faults.length > 0) throw invalid(...faults);
}
