import type { Operations } from '../../../client/portal-client.ts';
import { hasPasskeys } from '../../credentials/passkeys.ts';

export type Passkey = Operations['passkey.list']['answer']['items'][number];

/** True if the browser has passkeys for this address. An IP address cannot have any. */
export const offersPasskeys = (): boolean => hasPasskeys() && !/^(?:[\d.]+|\[.*\])$/.test(location.hostname);
