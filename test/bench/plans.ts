import type pg from 'pg';
import type { Statement } from './cases/statements.ts';

/** `verdict` is `by index`, or the violation; then `text` is the plan. */
export type Verdict = { verdict: string; text?: string };

/** Far more rows than a page needs. */
const many = 1_000;

type PlanNode = {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: PlanNode[];
};

/**
 * Runs the statements under `explain analyze`. @returns whether they read rows by index
 * @param big the tables that may not be read sequentially
 */
export async function judgePlans(
  database: pg.Pool,
  statements: readonly Statement[],
  big: readonly string[],
): Promise<Verdict> {
  const faults: string[] = [];
  const texts: string[] = [];
  for (const { text, values } of statements) {
    const { rows } = await database.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      `explain (analyze, format json) ${text}`,
      values,
    );
    const found = rows.flatMap((row) => nodesOf(row['QUERY PLAN'][0].Plan)).flatMap(faultsOf(big));
    if (found.length > 0) texts.push(await planText(database, { text, values }));
    faults.push(...found);
  }
  return faults.length === 0
    ? { verdict: 'by index' }
    : { verdict: faults.join(', '), text: texts.join('\n\n') };
}

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

const faultsOf =
  (big: readonly string[]) =>
  (node: PlanNode): string[] => {
    const { 'Node Type': type, 'Relation Name': table = '', Plans: inputs = [] } = node;
    const sorted = type === 'Sort' ? inputs.reduce((sum, input) => sum + rowsOf(input, 'Actual Rows'), 0) : 0;
    const removed = rowsOf(node, 'Rows Removed by Filter') + rowsOf(node, 'Rows Removed by Index Recheck');
    return [
      ...(type === 'Seq Scan' && big.includes(table) ? [`Seq Scan on ${table}`] : []),
      ...(sorted > many ? [`Sort of ${sorted} rows`] : []),
      ...(removed > many ? [`${type} on ${table} discards ${removed} rows`] : []),
    ];
  };

/** The plan counts per loop. */
const rowsOf = (
  node: PlanNode,
  count: 'Actual Rows' | 'Rows Removed by Filter' | 'Rows Removed by Index Recheck',
): number => Math.round((node[count] ?? 0) * node['Actual Loops']);

async function planText(database: pg.Pool, { text, values }: Statement): Promise<string> {
  const { rows } = await database.query<{ 'QUERY PLAN': string }>(`explain (analyze) ${text}`, values);
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}
