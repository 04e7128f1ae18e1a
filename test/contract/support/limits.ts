import { systemParameters } from '../../../db/schema/settings/system-parameters.ts';
import type { TestPortal } from '../../support/portal.ts';

/** Disables the rate limits, for tests with more requests than users send. */
export async function liftLimits({ db }: TestPortal): Promise<void> {
  const names = ['limits.per_token_per_minute', 'limits.anonymous_per_ip_per_minute'];
  await db.insert(systemParameters).values(names.map((name) => ({ name, value: 0, updated_at: new Date() })));
}
