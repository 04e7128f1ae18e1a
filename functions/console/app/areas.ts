import { access } from './access/area.ts';
import { account } from './account/area.ts';
import { fleet } from './fleet/area.ts';
import { gallery } from './gallery/area.ts';
import { journal } from './journal/area.ts';
import { routing } from './routing/area.ts';
import { settings } from './settings/area.ts';
import { setup } from './setup/area.ts';
import type { Area } from './shell/area.ts';
import { webhooks } from './webhooks/area.ts';

/** What the console has besides the overview and the pages that all kinds of records have. */
export const areas: readonly Area[] = [
  fleet,
  setup,
  routing,
  access,
  journal,
  gallery,
  settings,
  webhooks,
  account,
];
