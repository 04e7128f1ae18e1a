import type { Row } from '../../records/kinds.ts';
import { addressOf } from '../../router/place.ts';

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The page of the user that a row is, or that it names. */
export const userAddress = (row: Row): string =>
  addressOf(['user', textOf(row.user_id ?? row.id)], { auth_uuid: textOf(row.authenticator_id) });

/** The owner of a token, as in the paths of the API. */
export const ownerIn = (row: Row): { auth_uuid: string; uuid: string } => ({
  auth_uuid: textOf(row.authenticator_id),
  uuid: textOf(row.user_id),
});

export const idIn = ({ id }: Row): string => textOf(id);
export const nameIn = ({ name }: Row): string => textOf(name);
