/** Settings of a pool. Those that are absent are not changed. */
export type PoolOrder = Partial<{
  name: string;
  short_name: string;
  comments: string;
  visible: boolean;
  initial_srvs: number;
  cache_l1_srvs: number;
  cache_l2_srvs: number;
  max_srvs: number;
  tags: string[];
}>;

/** `message` is shown to users during the maintenance. */
export type MaintenanceOrder = { maintenance: boolean; message?: string | undefined };

/** Orders for a workplace by verb. `domain` is a label. */
export type WorkplaceOrders = {
  assign: { domain: string; user: string } | { user: null };
  machine: { action: MachineAction };
  maintenance: MaintenanceOrder;
  refresh: { force: boolean };
  tags: { tags: string[] };
};
export const machineActions = [
  'start',
  'shutdown',
  'poweroff',
  'reboot',
  'reset',
  'suspend',
  'resume',
] as const;
export type MachineAction = (typeof machineActions)[number];

export type MessageOrder = {
  message: string;
  title: string | null;
  level: 'info' | 'warning' | 'error';
} & ({ workplaces: string[] } | { all: true });

/** The workplaces to which a message was delivered. `code` is an error code of the node. */
export type Delivery = { delivered: string[]; failed: { workplace_uuid: string; code: string }[] };

export type PolicyValue = boolean | number | string | string[] | null;
export type Policy = {
  key: string;
  name: string;
  group: string;
  value: PolicyValue;
  default: PolicyValue;
  type: string;
  inherited: boolean;
};

/** An https URL that an administrator opens; `expires_in` is in seconds. */
export type Assistance = { url: string; expires_in: number };
