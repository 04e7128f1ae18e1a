import type { z } from 'zod';
import { raisedByMust } from '../../../db/errors.ts';
import type { Row } from '../../../db/repositories/records/records.ts';
import { mustNotBeTooMany, type webhooks } from '../../../db/repositories/webhooks/webhooks.ts';
import { ownerOf } from '../../../shared/context/principal.ts';
import type { Target } from '../../../shared/http/records/crud-declarations.ts';
import { writableOf } from '../../../shared/http/records/kind.ts';
import { applyPatch } from '../../../shared/http/records/shapes.ts';
import { changeRecord, createRecord } from '../../../shared/http/records/writes.ts';
import type { Answer } from '../../../shared/http/serve/answer.ts';
import { addSeconds } from '../../../shared/kernel/clock.ts';
import { AppError, conflict } from '../../../shared/kernel/errors.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { canonicalJson } from '../../../shared/kernel/json/json.ts';
import { newSecret } from '../../../shared/webhooks/signature.ts';
import type { WebuiCtx } from '../deps.ts';
import { addressFor } from './address.ts';
import { webhookCrud } from './record.ts';
import { WebhookWrite } from './schema.ts';

const { kind } = webhookCrud;
type Write = z.output<typeof WebhookWrite>;
type WebhookRow = Row<(typeof webhooks)['spec']['select']>;

/** Hours for which a former secret signs as well. */
const formerS = 24 * 3_600;

/**
 * @throws AppError `invalid_request` for an address that the policy does not allow, `forbidden` for a peer,
 *   `invalid_state` if there are too many webhooks
 */
export async function createWebhook(ctx: WebuiCtx, body: Write): Promise<Answer> {
  const id = newId();
  const secret = newSecret();
  const address = await addressFor(ctx, id, body.url);
  const columns = {
    ...address.columns,
    owner_id: accountOf(ctx),
    sealed_secret: await sealSecret(ctx, id, secret),
    active_since: ctx.now,
  };
  const made = await createRecord(
    ctx,
    kind,
    { ...body, url: address.url },
    {
      id,
      columns,
      before: (h) => [mustNotBeTooMany(h)],
    },
  ).catch((error: unknown) => {
    if (raisedByMust(error)?.reason !== 'too_many_webhooks') throw error;
    throw conflict('too_many_webhooks', 'An installation can have at most 100 webhooks');
  });
  return made.showing({ secret });
}

export const replaceWebhook = (ctx: WebuiCtx, at: Target, body: Write): Promise<Answer> =>
  change(ctx, at, () => body);

export const updateWebhook = (ctx: WebuiCtx, at: Target, patch: Record<string, unknown>): Promise<Answer> =>
  change(ctx, at, (current) => applyPatch(WebhookWrite, current, patch));

/** A webhook that is enabled again receives the events from now on. */
const change = (
  ctx: WebuiCtx,
  at: Target,
  become: (current: Record<string, unknown>) => Write,
): Promise<Answer> =>
  changeRecord(ctx, kind, at, async (row) => {
    const wanted = become(writableOf(kind, row));
    const { url, isOther, columns } = await addressFor(ctx, at.id, wanted.url, row);
    if (isOther || selectionOf(row) !== selectionOf(wanted)) assertOwner(ctx, row);
    const isBack = wanted.enabled && !row.enabled;
    const afresh = { active_since: ctx.now, disabled_reason: null, failing_since: null };
    return {
      body: { ...wanted, url },
      columns: { ...columns, ...(isBack && afresh) },
      // Another query of the same address is a change that the masked values do not show.
      changes: isOther && url === row.url ? [{ field: 'url', before: url, after: url }] : [],
    };
  });

/** Which events are sent, and to a receiver with which certificate. */
const selectionOf = ({ events, sites, ca_certificate }: Write | WebhookRow): string =>
  canonicalJson([events, sites, ca_certificate]);

/**
 * What is sent depends on the rights of the owner, so no other account may redirect it. A service token can have fewer rights
 * than its user.
 */
function assertOwner({ principal }: WebuiCtx, { owner_id }: WebhookRow): void {
  if (principal.kind !== 'user' || principal.user.id !== owner_id)
    throw conflict(
      'not_owner',
      'Only the owner of the webhook can do this, with a login session. Take over the ownership first',
    );
}

export const rotateSecret = (ctx: WebuiCtx, at: Target): Promise<Answer> => {
  const secret = newSecret();
  return changeRecord(ctx, kind, at, async (row) => {
    assertOwner(ctx, row);
    const columns = row.secret === null ? noFormer : await formerOf(ctx, at.id, row.secret);
    return {
      body: writableOf(kind, row),
      columns: {
        sealed_secret: await sealSecret(ctx, at.id, secret),
        ...columns,
      },
      changes: [{ field: 'secret', before: '***', after: '***' }],
    };
  }).then((changed) => changed.showing({ secret }));
};

const noFormer = { sealed_former_secret: null, former_until: null };

/** The present secret as the former one. */
async function formerOf({ deps, now }: WebuiCtx, row: string, secret: string) {
  const former = await deps.sealer.open(secret, secretPlace(row));
  return {
    sealed_former_secret: await deps.sealer.seal(former, {
      table: 'webhooks',
      row,
      column: 'sealed_former_secret',
    }),
    former_until: addSeconds(now, formerS),
  };
}

export const takeOver = (ctx: WebuiCtx, at: Target): Promise<Answer> =>
  changeRecord(ctx, kind, at, (row) => {
    const owner_id = accountOf(ctx);
    if (row.owner_id === owner_id) throw conflict('own', 'The caller owns the webhook already');
    return {
      body: writableOf(kind, row),
      columns: { owner_id },
      changes: [{ field: 'owner_id', before: row.owner_id, after: owner_id }],
    };
  });

/** The account of the caller, whose rights will be looked up at each delivery. */
function accountOf({ principal }: WebuiCtx): string {
  const owner = ownerOf(principal);
  if (owner.kind === 'peer')
    throw new AppError('forbidden', 'A user account is required; peer aggregators do not have one');
  return owner.id;
}

const secretPlace = (row: string) => ({ table: 'webhooks', row, column: 'sealed_secret' });

const sealSecret = (ctx: WebuiCtx, id: string, secret: string): Promise<string> =>
  ctx.deps.sealer.seal(secret, { table: 'webhooks', row: id, column: 'sealed_secret' });
