import type { AuditEntry } from '../../../db/repositories/audit/events.ts';
import { auditEntry, noteRefusal } from '../../context/audit-entry.ts';
import type { BaseDeps } from '../../context/context.ts';
import { credentialId, isSignedIn } from '../../context/principal.ts';
import { sha256 } from '../../kernel/crypto/digests.ts';
import { type AppError, problemProperties } from '../../kernel/errors.ts';
import { canonicalJson } from '../../kernel/json/json.ts';
import { escapeControls } from '../../kernel/text.ts';
import { type ResourceType, resources } from '../../resources.ts';
import type { RequestCtx } from '../context.ts';

/** Resource types by path parameter. Objects of nodes occur in paths after their farm. */
const ofNodes: Readonly<Record<string, ResourceType>> = {
  servicepool_uuid: 'servicespool',
  servicespool_uuid: 'servicespool',
  service_pool_uuid: 'servicespool',
  workplace_uuid: 'workplace',
  session_uuid: 'spsession',
};

/** Returns the object of the last path parameter, as sent. Empty for a collection. */
function objectOf({ operation }: RequestCtx<BaseDeps>, params: Record<string, string>): Partial<AuditEntry> {
  const [, name] = /\{(\w+)\}[^{]*$/.exec(operation.path) ?? [];
  const id = name === undefined ? undefined : params[name];
  if (name === undefined || id === undefined) return {};
  const type = ofNodes[name] ?? operation.id.split('.')[0] ?? '';
  return { object_type: isResource(type) ? type : null, object_id: escapeControls(id.slice(0, 256)) };
}

const isResource = (type: string): type is ResourceType => Object.hasOwn(resources, type);

/**
 * Writes a 403 of a session to the audit log. The subject is the session with the missing permissions.
 * @param params of the path of the request
 */
export async function auditRefusal(
  ctx: RequestCtx<BaseDeps> | undefined,
  problem: AppError,
  params: Record<string, string>,
): Promise<void> {
  if (!ctx || !isSignedIn(ctx.principal) || problemProperties(problem.code).status !== 403) return;
  const { required_permission, missing } = problem.members;
  const details = {
    code: problem.code,
    ...(required_permission !== undefined && { required_permission }),
    ...(missing !== undefined && { missing }),
  };
  const entry = auditEntry(ctx, {
    event: 'portal.AccessRefused',
    category: 'auth',
    level: 'warning',
    result: 'failure',
    details,
    ...objectOf(ctx, params),
  });
  // The details are hashed, because a list of all permissions is too long for a key.
  await noteRefusal(ctx, `session ${credentialId(ctx.principal)} ${sha256(canonicalJson(details))}`, entry);
}
