import { addressOf } from '../router/place.ts';

export const accountSegment = 'account';

/** Where the user finds the own account. */
export const accountAddress = addressOf([accountSegment]);
