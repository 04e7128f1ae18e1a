import { servedFirst } from '../../db/client.ts';
import type { AuditEntry } from '../../db/repositories/audit/events.ts';
import { countRefusal } from '../../db/repositories/audit/refusals.ts';
import type { FieldChange } from '../../db/schema/audit/events.ts';
import { newId } from '../kernel/ids.ts';
import { canonicalJson } from '../kernel/json/json.ts';
import { escapeControls } from '../kernel/text.ts';
import type { ResourceType } from '../resources.ts';
import type { BaseDeps, Ctx } from './context.ts';
import type { Principal } from './principal.ts';

/** Members of the context that an audit event uses. */
type AuditCtx = Pick<Ctx, 'principal' | 'now' | 'requestId' | 'client' | 'operation' | 'restoredVersion'>;

/** Members of an event that its cause provides. The principal, the time and the client come from the context. */
export type AuditFields = Pick<AuditEntry, 'event' | 'category'> & Partial<AuditEntry>;

/** Creates an audit event of a request. Control characters in values from callers are escaped. */
export function auditEntry(ctx: AuditCtx, fields: AuditFields): AuditEntry {
  const event = { ...eventBy(ctx.principal, ctx.now, fields), request_id: ctx.requestId };
  const { client, operation } = ctx;
  // Jobs and commands on the server have neither an address nor a path.
  if (client === undefined || ctx.principal.kind === 'operator') return event;
  return {
    ...event,
    source_ip: client.ip,
    user_agent: escapeControls(client.userAgent),
    method: operation.method,
    path: operation.path,
    ...over(fields),
  };
}

/** Creates an audit event without a request. */
export const eventBy = (principal: Principal, at: Date, fields: AuditFields): AuditEntry => ({
  id: newId(),
  at,
  level: 'info',
  result: 'success',
  ...whoOf(principal),
  ...over(fields),
  ...(principal.kind === 'operator' && {
    details: { ...fields.details, operator: principal.operator, host: principal.host },
  }),
});

/** `fields` override the derived members. */
const over = (fields: AuditFields): AuditFields => ({
  ...fields,
  ...(fields.object_name != null && { object_name: escapeControls(fields.object_name) }),
});

type Who = Pick<AuditEntry, 'actor' | 'user_name' | 'user_id' | 'domain' | 'portal' | 'service_token'>;

const unnamed = { user_name: null, user_id: null, domain: null, portal: null, service_token: null };

/** The `domain` of a peer is its issuer. It cannot equal a domain label, because labels do not contain a colon. */
function whoOf(principal: Principal): Who {
  const { kind: actor } = principal;
  switch (principal.kind) {
    case 'user':
    case 'service_token': {
      const { user, domain, portal } = principal;
      const service_token = principal.kind === 'service_token' ? escapeControls(principal.token.name) : null;
      const { id: user_id, name } = user;
      return { actor, user_name: escapeControls(name), user_id, domain: domain.label, portal, service_token };
    }
    case 'peer': {
      const { peer, portal } = principal;
      return {
        ...unnamed,
        actor,
        user_name: escapeControls(peer.name),
        user_id: peer.id,
        domain: peer.issuer,
        portal,
      };
    }
    case 'job':
      return { ...unnamed, actor, user_name: 'system' };
    case 'operator':
      return { ...unnamed, actor, user_name: principal.name };
    case 'agent':
    case 'gateway':
    case 'portal':
    case 'anonymous':
      return { ...unnamed, actor };
  }
}

/**
 * Creates the event for a write of one object. Its revision after the write orders the versions of its history. An
 * update that restores a version has the action `restore`.
 */
export const entityAction = (
  ctx: AuditCtx,
  action: 'create' | 'update' | 'delete',
  object: { type: ResourceType; id: string; name: string; revision?: number },
  changes: FieldChange[] = [],
): AuditEntry =>
  auditEntry(ctx, {
    event: 'portal.EntityAction',
    category: 'config',
    action: action === 'update' && ctx.restoredVersion !== undefined ? 'restore' : action,
    object_type: object.type,
    object_id: object.id,
    object_name: object.name,
    changes,
    details: {
      ...(object.revision !== undefined && { revision: object.revision }),
      ...(ctx.restoredVersion !== undefined && { version: ctx.restoredVersion }),
    },
  });

const masked = '***';

/** Returns the changed fields by name. The values of secrets are masked. */
export function changesBetween(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
  secrets: ReadonlySet<string> = new Set(),
): FieldChange[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const show = (name: string, value: unknown): unknown =>
    secrets.has(name) && value != null ? masked : (value ?? null);
  return names
    .filter((name) => canonicalJson(before[name] ?? null) !== canonicalJson(after[name] ?? null))
    .map((field) => ({ field, before: show(field, before[field]), after: show(field, after[field]) }));
}

/**
 * Audits a rejected request. The first rejection of a subject in a minute is written immediately, further ones are
 * counted. It gets the next free connection, because many refusals come with overload. An error during the write is logged and not thrown: nothing was changed, and the caller receives the
 * rejection.
 */
export async function noteRefusal(
  ctx: Pick<Ctx<Pick<BaseDeps, 'db'>>, 'deps' | 'log' | 'requestId'>,
  subject: string,
  entry: AuditEntry,
): Promise<void> {
  try {
    await countRefusal(servedFirst(ctx.deps.db), subject, entry);
  } catch (error) {
    ctx.log.error('a refusal could not be audited', { request_id: ctx.requestId, event: entry.event, error });
  }
}
