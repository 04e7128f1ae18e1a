import { describe, expect, it } from 'vitest';
import type { ExportRow, Member } from '../../../db/repositories/exports/sources.ts';
import { type FormatName, formats } from '../../../shared/exports/formats.ts';

const members: Member[] = [
  { name: 'id', kind: 'text' },
  { name: 'message', kind: 'text' },
  { name: 'count', kind: 'plain' },
  { name: 'details', kind: 'json' },
];

/** The file of these rows. */
function fileOf(name: FormatName, rows: ExportRow[], of = members): string {
  const { begin, row, end } = formats[name];
  return [begin(of), ...rows.map((one, at) => row(of, one, at === 0)), end(rows.length === 0)].join('');
}
const saying = (message: string | null): ExportRow => ({ id: 'a', message, count: '2', details: '{"n": 1}' });

/** A reader of RFC 4180, a character at a time. */
function readCsv(text: string): string[][] {
  const records: string[][] = [];
  let cells: string[] = [];
  let cell = '';
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const c = text[at];
    if (quoted && c === '"' && text[at + 1] === '"') cell += text[at++];
    else if (c === '"') quoted = !quoted;
    else if (!quoted && c === ',') [cells, cell] = [[...cells, cell], ''];
    else if (!quoted && c === '\r' && text[at + 1] === '\n') {
      records.push([...cells, cell]);
      [cells, cell] = [[], ''];
      at++;
    } else cell += c;
  }
  return records;
}

describe('a CSV file', () => {
  it('is parsed back by a reader of RFC 4180, for any texts', () => {
    const texts = ['plain', 'a,b', 'say "no"', 'two\r\nlines', 'two\nlines', '"', ',', '', 'ünï 漢字 🙂'];
    const file = fileOf('csv', texts.map(saying));
    expect(readCsv(file)).toEqual([
      ['id', 'message', 'count', 'details'],
      ...texts.map((text) => ['a', text, '2', '{"n": 1}']),
    ]);
    expect(file.endsWith('\r\n')).toBe(true);
    expect(file).toContain('"say ""no"""');
  });

  it.each([
    ' =1+1',
    '\u00a0=1+1',
    '\u3000\u2003@SUM(A1)',
    '\ufeff=1+1',
    '\u200b=1+1',
    '  \tx',
    '\v-1',
    '＝1+1',
    '＋1',
    '－1',
    '＠SUM(A1)',
    ' ＝1+1',
    '\ufe661+1',
  ])('no cell becomes a formula behind white space or in fullwidth forms: %j', (text) => {
    expect(readCsv(fileOf('csv', [saying(text)]))[1]).toEqual(['a', `'${text}`, '2', '{"n": 1}']);
  });

  it.each([
    ['5;=1+1;6', "5;'=1+1;6"],
    ['5; =1+1', "5;' =1+1"],
    ['a|@x', "a|'@x"],
    ['a\t+1', "a\t'+1"],
    ['a\r\n-1', "a\r\n'-1"],
    ['5;"=1+1"', '5;\'"=1+1"'],
    ['=1;=2', "'=1;'=2"],
    ['\n=1+1', "'\n'=1+1"],
  ])('no part of a cell becomes a formula where another separator is used: %j', (text, safe) => {
    expect(readCsv(fileOf('csv', [saying(text)]))[1]?.[1]).toBe(safe);
  });

  it.each([
    'a=1',
    'a;b=1',
    'x|y-z',
    ' a-b',
    '１＋１',
    '#1',
    "'=1",
  ])('other cells stay as they are: %j', (text) => {
    expect(readCsv(fileOf('csv', [saying(text)]))[1]?.[1]).toBe(text);
  });

  it.each([
    '=1+1',
    '+1',
    '-1',
    '@SUM(A1)',
    '\tx',
    '\rx',
    "=cmd|' /C calc'!A0",
  ])('has no cell that a spreadsheet executes: %j begins with an apostrophe', (text) => {
    expect(readCsv(fileOf('csv', [saying(text)]))[1]).toEqual(['a', `'${text}`, '2', '{"n": 1}']);
  });

  it('does not change other texts with such characters, and keeps the number of cells with an empty one', () => {
    expect(readCsv(fileOf('csv', [saying('a=b'), saying(null)])).slice(1)).toEqual([
      ['a', 'a=b', '2', '{"n": 1}'],
      ['a', '', '2', '{"n": 1}'],
    ]);
    const first: Member[] = [
      { name: 'message', kind: 'text' },
      { name: 'id', kind: 'text' },
    ];
    expect(fileOf('csv', [saying(null)], first)).toBe('message,id\r\n,a\r\n');
  });

  it('shows a computed text as it is', () => {
    const computed: Member[] = [{ name: 'state', kind: 'json' }];
    expect(fileOf('csv', [{ state: '"=online"' }], computed)).toBe(`state\r\n'=online\r\n`);
  });
});

describe('NDJSON and JSON files', () => {
  const texts = ['two\r\nlines', 'a "quoted" \\ backslash', 'tab\t', '\u001b[31m', null];
  const expected = texts.map((message) => ({ id: 'a', message, count: 2, details: { n: 1 } }));

  it('have one object per line, with line breaks escaped', () => {
    const lines = fileOf('ndjson', texts.map(saying)).split('\n');
    expect(lines.pop()).toBe('');
    expect(lines.map((line) => JSON.parse(line))).toEqual(expected);
  });

  it('are one array, also of no rows', () => {
    expect(JSON.parse(fileOf('json', texts.map(saying)))).toEqual(expected);
    expect(JSON.parse(fileOf('json', []))).toEqual([]);
  });
});

describe('a CEF file', () => {
  const event: ExportRow = {
    id: '1',
    seq: '7',
    at: '2026-01-02T03:04:05.678Z',
    event: 'portal.Odd|Name',
    level: 'warning',
    action: 'up\\date\nnow',
    actor: 'job',
    user: 'a=b\\c|d',
    source_ip: '10.0.0.1',
    message: 'two\r\nlines src=6.6.6.6',
  };

  it('has one line per event, whose header and extension no text can forge', () => {
    expect(fileOf('cef', [event], [])).toBe(
      'CEF:0|Aggregator|Aggregator portal|7.0|portal.Odd\\|Name|portal.Odd\\|Name up\\\\date\\nnow|6|' +
        'rt=1767323045678 src=10.0.0.1 externalId=1 act=up\\\\date\\nnow suser=a\\=b\\\\c|d ' +
        'msg=two\\r\\nlines src\\=6.6.6.6 AggregatorPortalActor=job cn1=7 cn1Label=seq\n',
    );
  });

  it('has escaped control characters instead of those that a terminal would execute', () => {
    const line = fileOf('cef', [{ ...event, message: 'red \u001b[31m, \u009b31m,\u0085 next\n' }], []);
    expect(line).toContain(
      ' msg=red \\\\u001b[31m, \\\\u009b31m,\\\\u0085 next\\n AggregatorPortalActor=job cn1=7 ',
    );
  });

  it('uses the key for IPv6 addresses', () => {
    const line = fileOf('cef', [{ ...event, source_ip: '2001:db8::1' }], []);
    expect(line).toContain(' c6a2=2001:db8::1 c6a2Label=source_ip ');
    expect(line).not.toMatch(/ src=/);
  });
});
