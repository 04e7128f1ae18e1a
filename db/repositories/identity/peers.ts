import { eq } from 'drizzle-orm';
import { peerRoles, peers as table } from '../../schema/identity/peers.ts';
import { records } from '../records/records.ts';
import { memberIds } from '../records/statements.ts';

const links = { roles: { table: peerRoles, owner: peerRoles.peer_id, member: peerRoles.role_id } };

export const peers = records({
  table,
  select: {
    id: table.id,
    revision: table.revision,
    name: table.name,
    comments: table.comments,
    issuer: table.issuer,
    jwks: table.jwks,
    jwks_url: table.jwks_url,
    ca_certificate: table.ca_certificate,
    roles: memberIds(links.roles, table.id),
    enabled: table.enabled,
    created_at: table.created_at,
    updated_at: table.updated_at,
  },
  search: [table.name_key],
  filters: { enabled: (value: boolean) => eq(table.enabled, value) },
  sorts: { name: table.name_key, created_at: table.created_at, updated_at: table.updated_at },
  links,
  unique: { '/name': ['name_key'], '/issuer': ['issuer'] },
});
