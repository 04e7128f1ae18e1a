/** A statement in a text: its offsets, and its words without comments and contents of literals. */
type Statement = { start: number; end: number; words: string };

/** The parts of a text that concern the session layer. */
export type Analysis = {
  /** The text to run. */
  text: string;
  /** Whether the text may change settings of the session or the transaction. */
  changesSettings: { session: boolean; transaction: boolean };
  /** Channels of LISTEN statements. */
  listens: string[];
  /** For each statement with the command tag NOTIFY, the tag to report instead. */
  notifyTags: string[];
};

/** @returns the replacement of a LISTEN or UNLISTEN; the channel `*` stands for all */
export type RewriteListen = (verb: 'listen' | 'unlisten', channel: string) => string;

/** Matches texts that may concern the session layer. Only these are split. */
const mayMatter =
  /(?:^|[;/\n])[^\S\n]*(?:copy|(?:un)?listen|discard|deallocate|close|set|reset|do|call|load|execute)\b|set_config|pg_settings/i;

/** Settings changed by a stored function are only detected if the text contains `set_config`. */
const changesAny = /^(?:set|reset|do|call|load|execute)\b/i;
const changesTransaction = /^set\s+(?:local|transaction|constraints)\b/i;
/** An update of `pg_settings` calls `set_config`. */
const callsSetConfig = /set_config|pg_settings/i;
const localSetConfig = /set_config\s*\([^()]*,\s*true\s*\)/gi;

const listen = /^(un)?listen\s+(?:"((?:[^"]|"")+)"|([a-z_\x80-\uffff][\w$\x80-\uffff]*)|(\*))$/i;

/** Statements that would change the sessions of all clients, or end the engine. */
const refused: readonly [RegExp, string][] = [
  [/^copy\b.*\bfrom\s+stdin\b/is, 'COPY FROM STDIN is not available'],
  [/^discard\s+(?:all|temp|temporary)$/i, 'DISCARD ALL and DISCARD TEMP are not available'],
  [/^deallocate\s+(?:prepare\s+)?all$/i, 'DEALLOCATE ALL is not available'],
  [/^close\s+all$/i, 'CLOSE ALL is not available'],
];

/** Analyses a text for the session layer, and replaces statements that the engine must not run. */
export function analyse(text: string, rewriteListen: RewriteListen): Analysis {
  const changes = { session: false, transaction: false };
  const analysis: Analysis = { text, changesSettings: changes, listens: [], notifyTags: [] };
  if (!mayMatter.test(text)) return analysis;
  changes.transaction = callsSetConfig.test(text);
  changes.session = callsSetConfig.test(text.replace(localSetConfig, ''));
  const replaced: string[] = [];
  let copied = 0;
  for (const { start, end, words: untrimmed } of statementsIn(text)) {
    const words = untrimmed.trim();
    changes.transaction ||= changesAny.test(words);
    changes.session ||= changesAny.test(words) && !changesTransaction.test(words);
    const replacement = replacementOf(words, analysis, rewriteListen);
    if (replacement === undefined) continue;
    replaced.push(text.slice(copied, start), replacement);
    copied = end;
  }
  return { ...analysis, text: replaced.join('') + text.slice(copied) };
}

function replacementOf(words: string, analysis: Analysis, rewriteListen: RewriteListen): string | undefined {
  if (/^notify\b/i.test(words)) analysis.notifyTags.push('NOTIFY');
  const refusal = refused.find(([pattern]) => pattern.test(words));
  if (refusal) return failing(refusal[1]);
  const [match, un, quoted, plain, all] = listen.exec(words) ?? [];
  if (match === undefined || (all && !un)) return undefined;
  const channel = all ?? truncate(quoted?.replaceAll('""', '"') ?? lowerCase(plain ?? ''));
  analysis.notifyTags.push(un ? 'UNLISTEN' : 'LISTEN');
  if (!un) analysis.listens.push(channel);
  return rewriteListen(un ? 'unlisten' : 'listen', channel);
}

const failing = (message: string): string =>
  `do $$ begin raise feature_not_supported using message = '${message}'; end $$`;

/** An identifier has at most 63 bytes, and only ASCII letters are folded. */
const lowerCase = (name: string): string => name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
const truncate = (name: string): string =>
  new TextDecoder().decode(new TextEncoder().encode(name).subarray(0, 63)).replace(/\uFFFD$/, '');

const token =
  /(?<literal>\be'(?:[^'\\]|''|\\[\s\S])*'|'(?:[^']|'')*'|(?<dollar>\$(?:[a-z_\x80-\uffff][\w\x80-\uffff]*)?\$)[\s\S]*?\k<dollar>)|(?<line>--[^\n]*)|(?<block>\/\*)|"(?:[^"]|"")*"|[a-z_\x80-\uffff][\w$\x80-\uffff]*|[\s\d(),.=*<>]+|[\s\S]/giy;

/** Splits a text at semicolons like PostgreSQL's scanner, with standard_conforming_strings on. */
function statementsIn(text: string): Statement[] {
  const statements: Statement[] = [];
  let statement: Statement | undefined;
  for (const { start, end, word } of tokensIn(text)) {
    if (word === ';') statement = undefined;
    else if (statement) statement.words += word;
    else if (word.trim() !== '') {
      statement = { start, end, words: word };
      statements.push(statement);
    }
    if (statement) statement.end = end;
  }
  return statements;
}

/** The tokens with their offsets; comments as a space, literals without their contents. */
function* tokensIn(text: string): Generator<{ start: number; end: number; word: string }> {
  token.lastIndex = 0;
  for (let match = token.exec(text); match; match = token.exec(text)) {
    const { literal, line, block } = match.groups ?? {};
    const end = block ? endOfComment(text, match.index) : token.lastIndex;
    const word = literal ? "''" : line || block ? ' ' : match[0];
    yield { start: match.index, end, word };
    token.lastIndex = end;
  }
}

/** Comments can be nested. @returns the offset after the comment that begins at `start` */
function endOfComment(text: string, start: number): number {
  const mark = /\/\*|\*\//g;
  mark.lastIndex = start;
  let depth = 0;
  for (let match = mark.exec(text); match; match = mark.exec(text)) {
    depth += match[0] === '/*' ? 1 : -1;
    if (depth === 0) return mark.lastIndex;
  }
  return text.length;
}
