import { rateLimitsOf } from '../../shared/http/rate-limits.ts';
import type { WsproxyDeps } from './deps.ts';

/** A request that proved to come from a gateway does not use up what strangers at its address may ask. */
export const excuseGateway = (deps: WsproxyDeps, ip: string): void => rateLimitsOf(deps).excuse(ip);
