import { z } from 'zod';
import { Uuid } from './list-shapes.ts';
import { flag, line, seconds, word } from './members.ts';

/** What a pool may be told to be; the node keeps nothing of what it was. */
export type PoolOrder = {
  name: string;
  short_name: string;
  comments: string;
  visible: boolean;
  initial_srvs: number;
  cache_l1_srvs: number;
  cache_l2_srvs: number;
  max_srvs: number;
  tags: string[];
};

/** `message` is what users are told while it lasts. */
export type MaintenanceOrder = { maintenance: boolean; message?: string | undefined };

/** What a workplace may be told, by the last segment of the call. `domain` is a label. */
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

const value = z.union([z.boolean(), z.number(), line(4096), z.array(line(4096)).max(1000), z.null()]);
export const Policies = z
  .array(
    z.object({
      key: line(128).min(1),
      name: line(256),
      group: line(256),
      value,
      default: value,
      type: word,
      inherited: flag,
    }),
  )
  .max(1000);
export type Policy = z.output<typeof Policies>[number];

export const Delivery = z.object({
  delivered: z.array(Uuid).max(100_000),
  failed: z.array(z.object({ workplace_uuid: Uuid, code: word })).max(100_000),
});
export type Delivery = z.output<typeof Delivery>;

/** The URL is shown to an administrator, who follows it. */
export const Assistance = z.object({
  url: line(2048).pipe(z.url({ protocol: /^https$/ })),
  expires_in: seconds,
});
export type Assistance = z.output<typeof Assistance>;
