import type { ExportRow } from '../../db/repositories/exports/sources.ts';
import { escapeControls } from '../kernel/text.ts';
import { version } from '../kernel/version.ts';
import type { Format } from './format.ts';

/** The Common Event Format of ArcSight, with one audit event per line. */
export const cef: Format = {
  mediaType: 'text/plain; charset=utf-8',
  extension: 'cef',
  begin: () => '',
  row: (_, row) => {
    const name = [row.event, row.action].filter(Boolean).join(' ');
    const head = [...product, row.event ?? '', name, severities[row.level ?? ''] ?? '5'].map(escapeHead);
    return `CEF:0|${head.join('|')}|${extensionOf(row)}\n`;
  },
  end: () => '',
};

const product = ['Aggregator', 'Aggregator portal', version];
const severities: Record<string, string> = { info: '3', warning: '6', error: '8' };

/** Members of an event by the CEF keys for them. */
const keys = {
  externalId: 'id',
  cat: 'category',
  outcome: 'result',
  act: 'action',
  suser: 'user',
  suid: 'user_id',
  sntdom: 'domain',
  sourceServiceName: 'service_token',
  destinationServiceName: 'portal',
  requestClientApplication: 'user_agent',
  requestMethod: 'method',
  request: 'path',
  msg: 'message',
  cnt: 'count',
  /** An extension of the vendor: no key of CEF says whether a user acted. */
  AggregatorPortalActor: 'actor',
} as const;

/** Members without a CEF key, by the custom keys that carry them with a label. */
const labelled = {
  cn1: 'seq',
  cs1: 'object_type',
  cs2: 'object_id',
  cs3: 'object_name',
  cs4: 'changes',
  cs5: 'details',
  cs6: 'request_id',
  flexString1: 'prev_hash',
  flexString2: 'hash',
} as const;

function extensionOf(row: ExportRow): string {
  const address = row.source_ip ?? null;
  const pairs: [string, string | null][] = [
    ['rt', row.at ? String(Date.parse(row.at)) : null],
    ...(address?.includes(':') ? labelledPair('c6a2', 'source_ip', address) : [pair('src', address)]),
    ...Object.entries(keys).map(([key, member]) => pair(key, row[member] ?? null)),
    ...Object.entries(labelled).flatMap(([key, member]) => labelledPair(key, member, row[member] ?? null)),
  ];
  return pairs.flatMap(([key, value]) => (value ? [`${key}=${escapeValue(value)}`] : [])).join(' ');
}

const pair = (key: string, value: string | null): [string, string | null] => [key, value];

const labelledPair = (key: string, label: string, value: string | null): [string, string | null][] => [
  pair(key, value),
  pair(`${key}Label`, value && label),
];

/** Each event is one line, so line ends are escaped. All other control characters are escaped as text as well. */
const lineEnds: Record<string, string> = { '\n': '\\n', '\r': '\\r' };
const spelt = (text: string, signs: RegExp): string =>
  text
    .replace(/[^\n\r]+/g, escapeControls)
    .replace(signs, '\\$&')
    .replace(/[\n\r]/g, (end) => lineEnds[end] ?? '');
const escapeHead = (text: string): string => spelt(text, /[\\|]/g);
/** The pipe separates fields in the header only, so values do not escape it. */
const escapeValue = (text: string): string => spelt(text, /[\\=]/g);
