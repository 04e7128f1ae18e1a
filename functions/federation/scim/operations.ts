import { mostBytes } from '../../../shared/identity/scim/urns.ts';

/** The address of SCIM for a domain. */
export const scimPath = '/scim/v2/{auth_uuid}';

/** Members of each declaration. */
export const common = { access: 'scim.provision', protocol: 'scim' } as const;

/** Limits of requests with a body: 20,000 members of a group fit into it. */
export const bodyLimits = { maxBodyBytes: mostBytes, maxBodyValues: 200_000, maxBodyMs: 30_000 } as const;
