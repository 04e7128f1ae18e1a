import type { Target, Write } from '../../records/requests.ts';

/** A change of a gateway that has a button of its own. */
export type GatewayChange = 'drain' | 'resume' | 'disable' | 'enable' | 'rotate';

const bodies: Record<GatewayChange, object> = {
  drain: { maintenance: true },
  resume: { maintenance: false },
  disable: { enabled: false },
  enable: { enabled: true },
  rotate: { rotate_token: true },
};

export const writeFor = ({ kind, id }: Target, etag: string | undefined, change: GatewayChange): Write => ({
  verb: kind.update ?? kind.list,
  path: { [kind.idParam ?? 'id']: id },
  body: bodies[change],
  etag,
});

/** The changes that make sense in a state. */
export function changesIn(row: { enabled: unknown; maintenance: unknown }): GatewayChange[] {
  if (row.enabled === false) return ['enable', 'rotate'];
  return [row.maintenance === true ? 'resume' : 'drain', 'disable', 'rotate'];
}
