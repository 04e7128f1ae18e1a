import type { AuthorizationServer, ExportedJWKSCache } from 'oauth4webapi';
import type { RecentMap } from '../../../kernel/concurrency/recent-map.ts';
import type { SingleFlight } from '../../../kernel/concurrency/single-flight.ts';
import type { Transport } from '../../http/transport.ts';
import type { AuthenticationMethod } from '../provider/metadata.ts';

/** The configuration of a provider. */
export type Provider = {
  /** Identifies the provider among those that are cached. */
  id: string;
  /** Contains only the accepted algorithms. */
  metadata: AuthorizationServer;
  /** The issuer contains `{tenantid}`, because the provider signs for many tenants. */
  isTemplate: boolean;
};

export type KeySet = ExportedJWKSCache['jwks'];

export type OidcParts = { transport: Transport; singleFlight?: SingleFlight | undefined };

/** What the operations of one remote share. Times are those of `performance.now`. */
export type Memory = OidcParts & {
  providers: RecentMap<string, { provider: Provider; readAt: number }>;
  keySets: RecentMap<string, { jwks: KeySet; readAt: number }>;
  /** The method by which a provider has accepted a client after it had refused the usual one. */
  methods: RecentMap<string, AuthenticationMethod>;
};
