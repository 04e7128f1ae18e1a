import { peers } from '../../../db/repositories/identity/peers.ts';
import { crud } from '../../../shared/http/records/crud.ts';
import { base } from '../deps.ts';
import { Peer, PeerWrite, peerFilters } from './schema.ts';

/** Every write of a peer says who may come with which rights; only reads are plain. */
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
