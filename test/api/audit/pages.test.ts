import { beforeAll, describe, expect, it } from 'vitest';
import { type AuditEntry, appendAudit } from '../../../db/repositories/audit/events.ts';
import { pageBytes } from '../../../db/repositories/records/size-limited-pages.ts';
import { auditEntry } from '../../support/audit/audit.ts';
import type { Driver } from '../../support/database/neon-proxy.ts';
import { addMember, base, type Member, useWorld } from '../../support/factories.ts';
import type { Json } from '../../support/portal.ts';

/** The parts of a page besides its events: the cursor, names, commas. */
const frame = 5_000;
const weightOf = (page: Json): number => Buffer.byteLength(JSON.stringify(page));

describe.each<Driver>(['pg', 'neon'])('a page of the audit, by the driver %s', (driver) => {
  const world = useWorld({ driver });
  let auditor: Member;

  beforeAll(async () => {
    auditor = await addMember(world, ['audit.read']);
  });

  /** Events in the order in which they are written, told apart by their messages. */
  async function write(event: string, given: readonly Partial<AuditEntry>[]): Promise<void> {
    for (const [n, one] of given.entries())
      await appendAudit(world.portal.db, auditEntry(n, { event, message: `event ${n}`, ...one }));
  }

  async function walk(query: string): Promise<Json[]> {
    const pages: Json[] = [];
    for (let cursor = ''; ; ) {
      const { status, body } = await auditor.ask(`GET ${base}/audit?${query}${cursor}`);
      expect(status).toBe(200);
      pages.push(body);
      if (body.next === null) return pages;
      cursor = `&cursor=${encodeURIComponent(body.next)}`;
    }
  }
  const messagesOf = (pages: readonly Json[]): string[] =>
    pages.flatMap(({ items }) => items.map(({ message }: Json) => message));
  const upTo = (count: number): string[] => Array.from({ length: count }, (_, n) => `event ${n}`);

  it.each([
    'at',
    '-at',
  ])('ends before its size limit is exceeded, and the next page continues there: %s', async (sort) => {
    const event = `test.Long${sort}`;
    // Each is twice as long in the response: quotes, line ends, and characters of several bytes.
    const odd = '"\n日'.repeat(100_000);
    const change = { field: 'comments', before: odd, after: 'short' };
    await write(event, [
      ...Array.from({ length: 7 }, () => ({ changes: [change] })),
      ...Array.from({ length: 7 }, () => ({ details: { [odd]: null } })),
      ...Array.from({ length: 7 }, () => ({ object_name: odd })),
    ]);
    const pages = await walk(`event=${event}&sort=${sort}&limit=500`);
    expect(pages.length).toBeGreaterThan(3);
    for (const page of pages) expect(weightOf(page)).toBeLessThanOrEqual(pageBytes + frame);
    const messages = messagesOf(pages);
    expect(sort === 'at' ? messages : messages.toReversed()).toEqual(upTo(21));
    // No page except the last has space for one more event.
    for (const page of pages.slice(0, -1)) expect(page.items.length).toBeGreaterThan(3);
  }, 60_000);

  it('is a single event when that event alone exceeds the size limit, so that paging continues', async () => {
    const huge = { field: 'logo', before: 'x'.repeat(pageBytes), after: null };
    await write('test.Huge', [{}, { changes: [huge] }, {}]);
    const pages = await walk('event=test.Huge&sort=at');
    expect(pages.map(({ items }) => items.length)).toEqual([1, 1, 1]);
    expect(messagesOf(pages)).toEqual(upTo(3));
  }, 60_000);

  it('has the requested number of events while they are short, and ends exactly with the last', async () => {
    await write(
      'test.Short',
      Array.from({ length: 6 }, () => ({})),
    );
    const lengths = async (limit: number) =>
      (await walk(`event=test.Short&limit=${limit}`)).map(({ items }) => items.length);
    expect([await lengths(3), await lengths(4), await lengths(6)]).toEqual([[3, 3], [4, 2], [6]]);
    expect(await walk('event=test.None')).toMatchObject([{ items: [], next: null }]);
    const { body } = await auditor.ask(`GET ${base}/audit?event=test.Short&limit=2&count=exact`);
    expect(body).toMatchObject({ total: 6, items: [{}, {}] });
    expect(Object.keys(body.items[0])).not.toContain('_more');
  });
});
