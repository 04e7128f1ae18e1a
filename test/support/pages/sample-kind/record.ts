import './type.ts';
import { sql } from 'drizzle-orm';
import { boolean, doublePrecision, integer, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { z } from 'zod';
import type { Db } from '../../../../db/client.ts';
import { records } from '../../../../db/repositories/records/records.ts';
import { byteText, recordColumns } from '../../../../db/schema/columns.ts';
import { crud } from '../../../../shared/http/records/crud.ts';
import {
  Comments,
  CreatedAt,
  Id,
  Instant,
  idOf,
  idsOf,
  PlainName,
  UpdatedAt,
} from '../../../../shared/shapes/fields.ts';
import { sampleType } from './type.ts';

const table = pgTable('samples', {
  ...recordColumns,
  name: text().notNull(),
  name_key: byteText().notNull(),
  code: text().notNull(),
  comments: text().notNull().default(''),
  amount: integer().notNull(),
  ratio: doublePrecision(),
  active: boolean().notNull(),
  mode: text().notNull(),
  starts_at: text(),
  site_id: uuid(),
  farms: uuid().array().notNull(),
  aliases: text().array().notNull(),
  window: jsonb(),
  steps: jsonb().notNull(),
  pin: text(),
});

/** @param db of the owner of the schema */
export async function createSamples(db: Db): Promise<void> {
  await db.execute(sql`create table samples (id uuid primary key, created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now(), revision integer not null default 1, name text not null,
    name_key text collate "C" not null, code text not null, comments text not null default '', amount integer not null,
    ratio double precision, active boolean not null, mode text not null, starts_at text, site_id uuid,
    farms uuid[] not null, aliases text[] not null, "window" jsonb, steps jsonb not null, pin text,
    constraint samples_name_key unique (name_key))`);
  await db.execute(sql`grant select, insert, update, delete on samples to public`);
}

const Step = z.strictObject({
  title: z.string().min(1).max(40).describe('Title of the step.'),
  minutes: z.int().min(1).max(90).default(5).describe('Duration in minutes. Default 5.'),
});

const SampleWrite = z.object({
  name: PlainName.describe('Name of the sample, unique.'),
  code: z.string().min(2).max(8).describe('Short code. It can be set only when the sample is created.'),
  comments: Comments,
  amount: z.int().min(1).max(100).default(10).describe('Amount from 1 to 100. Default 10.'),
  ratio: z.number().min(0).max(1).nullable().default(null).describe('Ratio from 0 to 1. Null: unknown.'),
  active: z.boolean().default(true).describe('False: the sample is not used. Default: true.'),
  mode: z.enum(['slow', 'quick']).default('slow').describe('How the sample runs. Default: slow.'),
  starts_at: Instant.nullable().default(null).describe('When the sample starts. Null: at once.'),
  site_id: idOf('site').nullable().default(null).describe('The site of the sample. Null: no site.'),
  farms: idsOf('farm').default([]).describe('The farms of the sample.'),
  aliases: z.array(z.string().min(1).max(20)).max(5).default([]).describe('Other names of the sample.'),
  window: z
    .strictObject({
      from_hour: z.int().min(0).max(23).describe('First hour of the day.'),
      note: z.string().max(40).default('').describe('Note about the window.'),
    })
    .nullable()
    .default(null)
    .describe('Hours of the day in which the sample runs. Null: all hours.'),
  steps: z.array(Step).max(4).default([]).describe('Steps of the sample, in order.'),
  pin: z.string().min(4).max(16).nullable().default(null).describe('Secret number, never returned.'),
});

const Sample = z.strictObject({
  id: Id.describe('Identifier of the sample.'),
  ...SampleWrite.shape,
  pin: z.null().describe('Always null: the number is never returned.'),
  pin_set: z.boolean().describe('True if a number is stored.'),
  created_at: CreatedAt,
  updated_at: UpdatedAt,
});

export const sampleCrud = crud({
  type: sampleType,
  path: '/api/webui/aggregator/samples',
  records: records({
    table,
    select: { ...columnsOf(table), pin: table.pin },
    search: [table.name_key],
    filters: {
      mode: (value: string) => sql`${table.mode} = ${value}`,
      active: (value: boolean) => sql`${table.active} = ${value}`,
      site_id: (value: string) => sql`${table.site_id} = ${value}`,
    },
    sorts: { name: table.name_key, amount: table.amount, created_at: table.created_at },
    unique: { '/name': ['name_key'] },
  }),
  view: Sample,
  write: SampleWrite,
  secrets: ['pin'],
  immutable: ['code'],
  filters: {
    mode: z.enum(['slow', 'quick']).optional().describe('Only samples that run in this way.'),
    active: z
      .enum(['true', 'false'])
      .transform((text) => text === 'true')
      .optional()
      .describe('Only samples that are used, or only others.'),
    site_id: idOf('site').optional().describe('Only samples of this site.'),
  },
  sorts: ['name', 'amount', 'created_at'],
  verbs: ['list', 'create', 'get', 'replace', 'update', 'delete', 'bulkDestroy'],
});

function columnsOf({ id, revision, created_at, updated_at, ...rest }: typeof table) {
  const { name, code, comments, amount, ratio, active, mode, starts_at } = rest;
  const { site_id, farms, aliases, window, steps } = rest;
  return {
    ...{ id, revision, created_at, updated_at, name, code, comments, amount, ratio, active, mode },
    ...{ starts_at, site_id, farms, aliases, window, steps },
  };
}
