import { systemParameters } from '../../../db/schema/settings/system-parameters.ts';
import type { TestPortal } from '../../support/portal.ts';

/** Disables the rate limits, for tests with more requests than users send, and allows own service tokens. */
export async function liftLimits(portal: Pick<TestPortal, 'db'>): Promise<void> {
  const names = ['limits.per_token_per_minute', 'limits.anonymous_per_ip_per_minute'];
  await setParameters(portal, Object.fromEntries(names.map((name) => [name, 0])));
  await allowOwnTokens(portal);
}

export const allowOwnTokens = (portal: Pick<TestPortal, 'db'>): Promise<void> =>
  setParameters(portal, { 'service_tokens.own': true });

export async function setParameters(
  { db }: Pick<TestPortal, 'db'>,
  values: Record<string, unknown>,
): Promise<void> {
  const rows = Object.entries(values).map(([name, value]) => ({ name, value, updated_at: new Date() }));
  await db.insert(systemParameters).values(rows);
}
