import { ChangeHub, type HubParts } from '../changes/change-hub.ts';
import { systemClock } from '../kernel/clock.ts';
import type { CreateChanges } from './deps.ts';

/** Streams of changes with the settings of a runtime. */
export const changesWith =
  (settings: Pick<HubParts, 'connectNotices' | 'limits'>): CreateChanges =>
  ({ db, log, clock = systemClock, portalType }) =>
    new ChangeHub({ db, log, clock, portalType, ...settings });
