import type { z } from 'zod';
import type { Target } from '../../../shared/http/records/crud-declarations.ts';
import { writableOf } from '../../../shared/http/records/kind.ts';
import { applyPatch } from '../../../shared/http/records/shapes.ts';
import { changeRecord, createRecord } from '../../../shared/http/records/writes.ts';
import type { Answer } from '../../../shared/http/serve/answer.ts';
import { randomToken, sha256 } from '../../../shared/kernel/crypto/digests.ts';
import type { WebuiCtx } from '../deps.ts';
import { gatewayCrud } from './record.ts';
import { GatewayWrite } from './schema.ts';

const { kind } = gatewayCrud;

/** 48 characters, as gateways expect. Only the digest is stored. */
const newToken = (): string => randomToken(36);

export async function createGateway(ctx: WebuiCtx, body: z.output<typeof GatewayWrite>): Promise<Answer> {
  const token = newToken();
  const made = await createRecord(ctx, kind, body, { columns: { token_hash: sha256(token) } });
  return made.showing({ token });
}

/** Changes fields and, if requested, the token. The previous token stops working with this write. */
export async function updateGateway(
  ctx: WebuiCtx,
  at: Target,
  { rotate_token, ...patch }: Record<string, unknown>,
): Promise<Answer> {
  const token = rotate_token === true ? newToken() : undefined;
  const changed = await changeRecord(ctx, kind, at, (row) => ({
    body: applyPatch(GatewayWrite, writableOf(kind, row), patch),
    ...(token !== undefined && {
      columns: { token_hash: sha256(token) },
      changes: [{ field: 'token', before: '***', after: '***' }],
    }),
  }));
  return token === undefined ? changed : changed.showing({ token });
}
