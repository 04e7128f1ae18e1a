import { type Client, clockTolerance } from 'oauth4webapi';
import type { OidcClient } from '../port.ts';

/** Accepted difference between the clocks of portal and provider. */
export const clockToleranceS = 60;

export const libraryClient = ({ clientId }: OidcClient): Client => ({
  client_id: clientId,
  [clockTolerance]: clockToleranceS,
});
