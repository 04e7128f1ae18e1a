import type { AuditEntry } from '../../db/repositories/audit.ts';
import type { FieldChange } from '../../db/schema/audit-events.ts';
import { newId } from '../kernel/ids.ts';
import { canonicalJson } from '../kernel/json.ts';
import { escapeControls } from '../kernel/text.ts';
import type { ResourceType } from '../resources.ts';
import type { BaseDeps, Ctx } from './context.ts';

/** What only the cause of an event knows; who, when and from where come from the context. */
export type Happening = Pick<AuditEntry, 'event' | 'category'> & Partial<AuditEntry>;

/** The audit event of a happening; control characters of what callers chose are escaped. */
export function auditEntry(ctx: Ctx<BaseDeps>, happening: Happening): AuditEntry {
  const who = ctx.actor.kind === 'user' ? ctx.actor : undefined;
  return {
    id: newId(),
    at: ctx.now,
    level: 'info',
    result: 'success',
    user_name: who ? escapeControls(who.user.name) : null,
    user_id: who?.user.id ?? null,
    domain: who?.domain.label ?? null,
    portal: who?.session.portal ?? null,
    service_token: who?.serviceToken ? escapeControls(who.serviceToken) : null,
    source_ip: ctx.client.ip,
    user_agent: escapeControls(ctx.client.userAgent),
    request_id: ctx.requestId,
    method: ctx.operation.method,
    path: ctx.operation.path,
    ...happening,
    ...(happening.object_name != null && { object_name: escapeControls(happening.object_name) }),
  };
}

/** The event of a write of one object. */
export const entityAction = (
  ctx: Ctx<BaseDeps>,
  action: 'create' | 'update' | 'delete',
  object: { type: ResourceType; id: string; name: string },
  changes: FieldChange[] = [],
): AuditEntry =>
  auditEntry(ctx, {
    event: 'portal.EntityAction',
    category: 'config',
    action,
    object_type: object.type,
    object_id: object.id,
    object_name: object.name,
    changes,
  });

const masked = '***';

/** The fields that differ, by name; of secrets only that they changed. */
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
