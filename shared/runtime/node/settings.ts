import type { Config } from '../config/config.ts';
import type { ServeOptions } from './server.ts';
import { transportSecurity } from './transport-security.ts';

/** Settings shared by the servers of the portal and the sidecar. */
export const serverSettings = (
  config: Config,
): Pick<ServeOptions, 'host' | 'trustProxy' | 'headers' | 'maxConnections' | 'maxConnectionsPerAddress'> => ({
  host: config.host,
  trustProxy: config.trustProxy,
  headers: transportSecurity(config.baseUrl, config.hsts),
  maxConnections: config.maxConnections,
  maxConnectionsPerAddress: config.maxConnectionsPerAddress,
});
