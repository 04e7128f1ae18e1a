import type { z } from 'zod';
import { atomically } from '../../../db/client.ts';
import { addRegistration } from '../../../db/repositories/agents/agents.ts';
import { appendAudit } from '../../../db/repositories/audit/events.ts';
import { newRegistrationToken } from '../../../shared/access/agent-tokens.ts';
import { entityAction } from '../../../shared/context/audit-entry.ts';
import type { Ctx } from '../../../shared/context/context.ts';
import type { SignedIn } from '../../../shared/context/principal.ts';
import { sha256 } from '../../../shared/kernel/crypto/digests.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { bareMac } from '../../../shared/kernel/mac-addresses.ts';
import { foldName } from '../../../shared/kernel/text.ts';
import type { AgentDeps } from '../deps.ts';
import type { RegisterBody } from './schema.ts';

/** @returns the token of the registration */
export async function register(
  ctx: Ctx<AgentDeps, SignedIn>,
  { hostname, mac = '' }: z.output<typeof RegisterBody>,
): Promise<string> {
  const { deps, scope, now } = ctx;
  const token = newRegistrationToken();
  const registration = {
    id: newId(),
    name: hostname,
    machine: bareMac(mac) ?? foldName(hostname),
    sites: scope === '*' ? null : [...scope],
    token_hash: sha256(token),
    created_at: now,
  };
  const object = { type: 'agent' as const, id: registration.id, name: hostname };
  await atomically(deps.db, (h) => [
    ...addRegistration(h, registration, scope),
    appendAudit(h, entityAction(ctx, 'create', object)),
  ]);
  return token;
}
