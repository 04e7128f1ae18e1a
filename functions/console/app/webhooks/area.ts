import type { Area } from '../shell/area.ts';

/** Webhooks, their deliveries and their events. */
export const webhooks: Area = {
  extensions: { webhook: async () => (await import('./extension.ts')).extension },
};
