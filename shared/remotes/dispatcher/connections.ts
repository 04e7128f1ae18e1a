import type { SessionState } from './rows.ts';

/** A user domain as listed by a node. It is linked with a domain of the portal by its label `authSmallName`. */
export type Domain = { authUuid: string; authSmallName: string; auth: string };

export type Health = { status: 'pass' | 'fail'; version?: string | undefined; description: string };

export type ServiceState = 'ready' | 'busy' | 'maintenance' | 'unavailable' | 'unknown';

/** A service of a user. A service without a name has its identifier as name. */
export type Service = {
  uuid: string;
  name: string;
  description: string;
  protocols: string[];
  state: ServiceState;
  in_use: boolean;
  /** Null if the node does not report it. */
  maintenance: boolean | null;
  maintenance_message?: string | undefined;
  sessions: { session_uuid: string; state: SessionState }[];
  /** The user has a machine in the service. Absent if not, or if the node does not report it. */
  owned?: true | undefined;
};

/** Properties of the client component; absent members are not sent. */
export type ConnectionQuery = {
  protocol?: string | undefined;
  client_version?: string | undefined;
  hostname?: string | undefined;
};

type ConnectionMethod = 'new' | 'legacy';

/** Parameters of one connection. `expires_in` is in seconds. */
export type Connection = {
  protocol: 'rdp' | 'spice';
  method: ConnectionMethod;
  session_uuid?: string | undefined;
  host: string;
  port: number;
  username: string;
  domain: string;
  /** Valid once, for this connection only. */
  password?: string | undefined;
  expires_in: number;
  rdp?: RdpSettings | undefined;
  spice?: SpiceSettings | undefined;
};

/**
 * A link that the client opens, with the scheme `https` or one of the client program of the dispatcher. It is a secret
 * that is valid once. `expires_in` is in seconds.
 */
export type ConnectionLink = {
  method: 'link';
  protocol: string;
  link: string;
  expires_in: number;
  session_uuid?: string | undefined;
};

type RdpSettings = {
  screen_size?: string | undefined;
  color_depth?: number | undefined;
  multimon?: boolean | undefined;
  redirect?: Redirections | undefined;
  certificate_fingerprint?: string | undefined;
};

type Redirections = Partial<
  Record<
    'clipboard' | 'drives' | 'printers' | 'smartcards' | 'usb' | 'audio' | 'microphone' | 'webcam',
    boolean | undefined
  >
>;

type SpiceSettings = {
  tls_port?: number | undefined;
  /** PEM. */
  ca?: string | undefined;
  host_subject?: string | undefined;
  proxy?: string | undefined;
  secure_channels?: string[] | undefined;
  usb_redirection?: boolean | undefined;
  fullscreen?: boolean | undefined;
  title?: string | undefined;
};

/**
 * Known words for why a service cannot be used now (`reason_code`), or why a request for it is refused (`reason`).
 * Dispatchers can report others.
 */
export const unreadyReasons = [
  'maintenance',
  'unavailable',
  'protocol_not_offered',
  'state_unknown',
  'gateway_unavailable',
  'preparing',
  'no_free_workplace',
  'preparation_failed',
  'outcome_unknown',
  'refused_by_dispatcher',
  'not_supported_by_dispatcher',
  'access_rules',
  'changed_meanwhile',
  'unknown_user',
] as const;

/** Whether a client connects, waits or gives up. */
export type Readiness = {
  verdict: 'connect' | 'wait' | 'abandon';
  method: ConnectionMethod;
  protocol: string;
  ready: boolean;
  state: string;
  reason_code: string;
  message?: string | undefined;
  retry_after_ms?: number | undefined;
  percent?: number | undefined;
};

/** A link to an open session. `expires_in` is in seconds. */
export type Reconnection = { link: string; expires_in: number };
