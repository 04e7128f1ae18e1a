import { peers } from '../../../db/repositories/identity/peers.ts';
import { crud } from '../../../shared/http/records/crud.ts';
import { base } from '../deps.ts';
import { Peer, PeerWrite, peerFilters } from './schema.ts';

/** Writes of a peer grant rights, so they are use cases; reads use the generic implementation. */
export const peerCrud = crud({
  type: 'peer',
  path: `${base}/peers`,
  records: peers,
  view: Peer,
  write: PeerWrite,
  filters: peerFilters,
  sorts: ['name', 'created_at', 'updated_at'],
  verbs: ['list', 'get'],
});
