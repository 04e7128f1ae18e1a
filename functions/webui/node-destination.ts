import { type FieldError, invalid } from '../../shared/kernel/errors.ts';
import { isCapable } from '../../shared/remotes/dispatcher/capabilities.ts';
import { checkUrl } from '../../shared/remotes/http/address-policy.ts';
import type { WebuiCtx } from './deps.ts';

/** The members of a node that depend on each other. */
export type NodeMembers = {
  kind: string;
  url: string;
  verify_tls: boolean;
  health_key: string | null;
  account_domain: string | null;
  account_name: string | null;
  account_password: string | null;
  public_url?: string | null;
  sends_client_address?: boolean;
};

/**
 * @throws AppError `invalid_request` for a destination that the installation does not allow, and for members that nodes
 *   of the kind do not have
 */
export const checkNode = (ctx: WebuiCtx, body: NodeMembers): void =>
  refuse([...addressErrors(ctx, body), ...membersErrors(body), ...missingErrors(body)]);

/** The same for a test, which examines the destination even if the account is not known yet. */
export function checkTested(ctx: WebuiCtx, body: NodeMembers): void {
  const missing = body.account_name === null ? [] : missingErrors(body);
  refuse([...addressErrors(ctx, body), ...membersErrors(body), ...missing]);
}

function refuse(errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid(...errors);
}

/** The same for a node that is not stored: it needs all secrets. */
export function checkNewNode(ctx: WebuiCtx, body: NodeMembers): void {
  checkNode(ctx, body);
  if (isCapable(body.kind, 'service_account') && body.account_password === null)
    throw invalid({ pointer: '/account_password', code: 'required', detail: 'A value is required' });
}

function addressErrors({ deps }: WebuiCtx, { url, verify_tls }: NodeMembers): FieldError[] {
  const { outbound, allowInsecureDispatchers } = deps;
  const errors: FieldError[] = [];
  const checked = checkUrl(url, 'node', outbound);
  if (!checked.ok) errors.push({ pointer: '/url', code: 'address_not_allowed', detail: checked.detail });
  if (!verify_tls && !allowInsecureDispatchers) {
    errors.push({
      pointer: '/verify_tls',
      code: 'not_allowed',
      detail: 'Allowed only with ALLOW_INSECURE_DISPATCHERS=1',
    });
  }
  return errors;
}

const accountMembers = ['account_domain', 'account_name'] as const;

/** A missing password is not an error here, because a stored one may be kept. */
function membersErrors(body: NodeMembers): FieldError[] {
  const refused = (name: string): FieldError => ({
    ...{ pointer: `/${name}`, code: 'not_allowed', detail: 'Nodes of this kind do not have it' },
  });
  const isGiven = (name: keyof NodeMembers): boolean => (body[name] ?? false) !== false;
  if (!isCapable(body.kind, 'service_account'))
    return ([...accountMembers, 'account_password', 'public_url', 'sends_client_address'] as const)
      .filter(isGiven)
      .map(refused);
  return isGiven('health_key') && !isCapable(body.kind, 'health_key') ? [refused('health_key')] : [];
}

function missingErrors(body: NodeMembers): FieldError[] {
  if (!isCapable(body.kind, 'service_account')) return [];
  const missing = accountMembers.filter((name) => body[name] === null);
  return missing.map((name) => ({ pointer: `/${name}`, code: 'required', detail: 'A value is required' }));
}

type Secrets = Pick<NodeMembers, 'health_key' | 'account_password'>;

/** Encrypts the secrets of a node for its row. */
export const sealedSecrets = async (ctx: WebuiCtx, id: string, secrets: Secrets): Promise<Secrets> => ({
  health_key: await sealed(ctx, id, 'health_key', secrets.health_key),
  account_password: await sealed(ctx, id, 'account_password', secrets.account_password),
});

const sealed = async (ctx: WebuiCtx, row: string, column: keyof Secrets, text: string | null) =>
  text === null ? null : ctx.deps.sealer.seal(text, { table: 'dispatchers', row, column });
