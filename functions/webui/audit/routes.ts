import { auditList } from '../../../db/repositories/audit/list.ts';
import { listShowing } from '../../../db/repositories/records/list-columns.ts';
import { pageBytes } from '../../../db/repositories/records/size-limited-pages.ts';
import { verifyChain } from '../../../shared/audit/verification.ts';
import { answerList } from '../../../shared/http/declare/list.ts';
import { listOf } from '../../../shared/shapes/list.ts';
import { viewOf } from '../../../shared/shapes/views.ts';
import { base, endpoint, type WebuiDeps } from '../deps.ts';
import { exportable } from '../export-operations.ts';
import { AuditEvent, AuditQuery, auditFilters, Verification, VerifyQuery } from './schema.ts';

/** About a second's work for the database. */
const limit = 100_000;
const view = viewOf(AuditEvent);
const listed = listShowing(auditList, view.columns);

export const auditOperations = [
  ...exportable<WebuiDeps>({
    subject: 'audit',
    type: 'audit',
    path: `${base}/audit`,
    access: 'audit.export',
    filters: auditFilters,
    formats: ['csv', 'ndjson', 'json', 'cef'],
  }),
  endpoint(
    {
      id: 'audit.list',
      route: `GET ${base}/audit`,
      access: 'audit.read',
      allSites: true,
      summary: 'List audit events',
      description: `A page has fewer items than \`limit\` if they would exceed ${pageBytes / 1e6} MB. \`next\` continues the list as usual.`,
      query: AuditQuery,
      mayLag: true,
      returns: [200, listOf(AuditEvent)],
    },
    (ctx, { query }) => answerList(ctx, listed, query, view),
  ),
  endpoint(
    {
      id: 'audit.verify',
      route: `GET ${base}/audit/verify`,
      access: 'audit.read',
      allSites: true,
      summary: 'Verify the hash chain of audit events',
      description: `Verifies up to ${limit} events from \`from\` on and their signed checkpoints. Events that the retention has removed are skipped. If \`ok\` is true, continue with \`from\` + \`checked\` until it exceeds \`sealed_to\`.`,
      query: VerifyQuery,
      returns: [200, Verification],
    },
    async (ctx, { query: { from, to = Number.MAX_SAFE_INTEGER } }) => {
      const { checked, sealedTo, broken } = await verifyChain(ctx.deps.db, ctx.deps.signingKeys, {
        from,
        to,
        limit,
      });
      const ok = broken === null;
      return { ok, checked, sealed_to: sealedTo, ...(!ok && { first_bad: broken }) };
    },
  ),
];
