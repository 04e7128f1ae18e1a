import { createHash } from 'node:crypto';

/** Comments, literals, quoted names and dollar-quoted bodies, within which a semicolon ends no statement. */
const tokens = /--[^\n]*|'(?:[^']|'')*'|"[^"]*"|\$(\w*)\$[\s\S]*?\$\1\$|;|[^;'"$-]+|[\s\S]/g;

/** The statements of a text, without the comments between them. */
export function splitStatements(text: string): string[] {
  const statements: string[] = [''];
  for (const [token] of text.matchAll(tokens)) {
    if (token === ';') statements.push('');
    else if (!token.startsWith('--')) statements.push(`${statements.pop()}${token}`);
  }
  return statements.map((statement) => statement.trim()).filter((statement) => statement !== '');
}

/** Identifies a statement in the record of what was applied. */
export const digestOfStatement = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * A `function` or `trigger` is applied if the database does not have it in the same words, `privileges` also after a function
 * of the same step, and `other` each time.
 */
export type FileStatement = { text: string; kind: 'function' | 'trigger' | 'privileges' | 'other' };

/** What one transaction applies. */
export type Step = FileStatement[];

const definesFunction = /^create or replace function\b/i;
const definesTrigger = /^create (?:constraint )?trigger\b/i;
const dropsTrigger = /^drop trigger if exists \S+ on \S+$/i;
const locksTable = /^(?:alter table|drop trigger)\b/i;

/**
 * The steps of a file of `db/sql`. Consecutive statements that lock no table are one step, so that functions which call each
 * other change together. A trigger is a step of its own, because it locks its table: no transaction locks two tables.
 */
export function stepsOfFile(statements: readonly string[]): Step[] {
  const steps: Step[] = [];
  let open: Step | undefined;
  for (const [n, text] of statements.entries()) {
    const before = statements[n - 1] ?? '';
    if (definesTrigger.test(text) && dropsTrigger.test(before)) {
      steps.pop();
      steps.push([{ text: `${before};\n${text}`, kind: 'trigger' }]);
      open = undefined;
    } else if (open && !locksTable.test(text)) open.push({ text, kind: kindOf(text) });
    else {
      const step = [{ text, kind: kindOf(text) }];
      steps.push(step);
      open = locksTable.test(text) ? undefined : step;
    }
  }
  return steps;
}

function kindOf(text: string): FileStatement['kind'] {
  if (definesFunction.test(text)) return 'function';
  return /^revoke\b/i.test(text) ? 'privileges' : 'other';
}
