/** Lists that can be exported, by the type of their records. */
export type Exportable = {
  /** Of the list; the operations of exports are below it. */
  path: string;
  permission: string;
  formats: readonly ExportFormat[];
};

export type ExportFormat = 'csv' | 'ndjson' | 'json' | 'cef';

const usual = ['csv', 'ndjson', 'json'] as const;
const base = '/api/webui/aggregator';

export const exportables: Readonly<Record<string, Exportable>> = {
  audit: { path: `${base}/audit`, permission: 'audit.export', formats: [...usual, 'cef'] },
  monitoring_record: { path: `${base}/monitoring`, permission: 'monitoring.export', formats: usual },
  portal: { path: `${base}/appnodes/portals`, permission: 'portals.export', formats: usual },
  tag: { path: `${base}/tags`, permission: 'tags.export', formats: usual },
};
