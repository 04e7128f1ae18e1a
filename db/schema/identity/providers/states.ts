import { pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { moment } from '../../columns.ts';
import { authenticators } from '../authenticators.ts';

/**
 * Identity providers that do not work as they should, by domain. `failing_since`: the first failure since the last answer,
 * with its reason and the part of the product that has seen it. `late_since`: checks of sessions are behind.
 */
export const providerStates = pgTable('provider_states', {
  authenticator_id: uuid()
    .primaryKey()
    .references(() => authenticators.id, { onDelete: 'cascade' }),
  failing_since: moment(),
  reason: text(),
  seen_by: text().$type<'sign_in' | 'check'>(),
  late_since: moment(),
});
