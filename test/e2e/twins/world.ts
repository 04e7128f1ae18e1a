import type { Answer, Asking } from '../support/api.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import type { Stand } from './targets.ts';

/** A portal with data, as its administrator sees it. */
export type World = {
  stand: Stand;
  installed: Installation;
  /** As the administrator: `admin('POST /api/…', { body })`. */
  admin(route: string, asking?: Asking): Promise<Answer>;
};

export async function furnish(stand: Stand): Promise<World> {
  const { api, node, trust, adminPassword } = stand;
  const token = await api.login('admin', adminPassword);
  const installed = await createInstallation(api, token, node, trust);
  return { stand, installed, admin: (route, asking) => api.send(route, { token, ...asking }) };
}
