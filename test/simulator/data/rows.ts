import { z } from 'zod';

export const Protocol = z.enum(['rdp', 'spice']);
export type Protocol = z.infer<typeof Protocol>;

export const MachineAction = z.enum([
  'start',
  'shutdown',
  'poweroff',
  'reboot',
  'reset',
  'suspend',
  'resume',
]);
export type MachineAction = z.infer<typeof MachineAction>;

export type MachineState = 'running' | 'stopped' | 'suspended' | 'starting' | 'stopping' | 'unknown';
export type PoolState = 'ready' | 'busy' | 'unavailable' | 'preparing' | 'failed';

/** A user as dispatchers name users: the label of the domain and the name in it. */
export type Person = { domain: string; name: string };

/** `users` are `label\name`. */
export type Entitled = 'all' | { users: string[]; groups: string[] };

export type Domain = { authUuid: string; authSmallName: string; auth: string };

export type SpiceSettings = {
  tls_port: number | null;
  ca: string | null;
  host_subject: string | null;
  proxy: string | null;
  secure_channels: string[] | null;
  usb_redirection: boolean;
  fullscreen: boolean;
  title: string;
};

export type Pool = {
  uuid: string;
  name: string;
  short_name: string;
  comments: string;
  state: PoolState;
  /** Progress reported while the pool is `preparing`. */
  percent: number;
  visible: boolean;
  maintenance: boolean;
  maintenance_message: string | null;
  protocols: Protocol[];
  method: 'new' | 'legacy';
  /** The target of connections instead of the workplace's own address: a real server of a test. */
  endpoint: { host: string; port: number; spice?: Partial<SpiceSettings> } | null;
  initial_srvs: number;
  cache_l1_srvs: number;
  cache_l2_srvs: number;
  max_srvs: number;
  tags: string[];
  entitled: Entitled;
  members: Workplace[];
};

export type Workplace = {
  uuid: string;
  pool: Pool;
  name: string;
  unique_id: string;
  hostname: string;
  ip: string;
  condition: 'preparing' | 'ready' | 'error';
  machine_state: MachineState;
  owner: Person | null;
  session: WorkplaceSession | null;
  maintenance: boolean;
  tags: string[];
  revision: number;
  created_at: string;
};

export type WorkplaceSession = {
  session_uuid: string;
  workplace: Workplace;
  person: Person;
  protocol: Protocol;
  client_ip: string | null;
  client_host: string | null;
  state: 'active' | 'disconnected';
  started_at: string;
  last_seen_at: string;
  /** The one valid reconnect link. */
  ticket: string | null;
};

export type Tag = { uuid: string; name: string };
