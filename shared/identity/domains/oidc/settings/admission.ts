import { message, type Text } from '../../../../messages/message.ts';
import type { OidcParams } from './params.ts';

type Settings = Pick<OidcParams, 'create_users' | 'groups_claim' | 'required_claims' | 'allowed_tenants'>;

/** Who can sign in with these settings, in a sentence for administrators. */
export function admissionOf({
  create_users,
  groups_claim,
  required_claims,
  allowed_tenants,
}: Settings): Text {
  const claims = [...required_claims, ...allowed_tenants.map((tenant) => `tid=${tenant}`)].join(', ');
  if (groups_claim !== '')
    return claims === ''
      ? 'Members of the registered groups can sign in'
      : message('Members of the registered groups with {claims} can sign in', { claims });
  if (!create_users) return 'Only users that provisioning has added can sign in';
  return claims === ''
    ? 'Anyone with an account at the provider can sign in: enter required claims, or require groups'
    : message('Everybody at the provider with {claims} can sign in', { claims });
}
