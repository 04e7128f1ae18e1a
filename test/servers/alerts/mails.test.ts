import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { alertMails, alerts } from '../../../db/schema/alerts/alerts.ts';
import { monitoringRecords } from '../../../db/schema/monitoring/records.ts';
import { eventMarks } from '../../../db/schema/webhooks/deliveries.ts';
import { freePorts } from '../../e2e/support/portal-process.ts';
import { addMonitoringRecord, adminOf, base, useWorld } from '../../support/factories.ts';
import { passAlerts } from '../../support/mail/alert-pass.ts';
import { hasPostfix, type Postfix, startPostfix } from '../../support/mail/postfix.ts';
import { requireService } from '../../support/services.ts';

// A mail passes through the queue of the server.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

requireService('postfix', hasPostfix)('mails about critical monitoring records', () => {
  const world = useWorld();
  const admin = adminOf(world);
  const systemAuthorities = getCACertificates('default');
  let postfix: Postfix;
  const results: string[] = [];

  beforeAll(async () => {
    postfix = await startPostfix(await freePorts(2));
    trust(true);
  });
  beforeEach(async () => {
    const { ownerDb } = world.portal;
    await pass();
    await ownerDb.delete(alerts);
    await ownerDb.delete(alertMails);
    await ownerDb.delete(monitoringRecords);
    await ownerDb.update(eventMarks).set({ mail_due_at: null, mail_failures: 0, mail_error: null });
    results.length = 0;
  });
  afterAll(async () => {
    setDefaultCACertificates(systemAuthorities);
    await postfix.stop();
  });

  const trust = (isTrusted: boolean): void =>
    setDefaultCACertificates(isTrusted ? [...systemAuthorities, postfix.caPem] : systemAuthorities);

  /** Queues new records, and sends what is due, as the sidecar does. */
  async function pass(
    given: { language?: string; to?: string } = {},
    url = postfix.url.starttls,
  ): Promise<void> {
    results.push(...(await passAlerts(world, { url, ...given })));
  }
  const critical = (given: Record<string, unknown>) =>
    addMonitoringRecord(admin, { level: 'critical', ...given });
  /** The mails that are not among the known files, once there are as many as expected. */
  async function newMails(known: readonly string[], count: number): Promise<string[]> {
    const found = async () => [...(await postfix.mails())].filter(([name]) => !known.includes(name));
    await expect.poll(async () => (await found()).length, { timeout: 30_000 }).toBe(2 * count);
    // One copy for each recipient.
    return [...new Map((await found()).map(([, mail]) => [idOf(mail), mail])).values()];
  }
  const idOf = (mail: string): string => /^message-id: (.+)$/im.exec(mail)?.[1] ?? '';
  const header = (mail: string, name: string): string =>
    (new RegExp(`^${name}: (.+(?:\\n[ \\t].+)*)$`, 'im').exec(mail)?.[1] ?? '').replace(/\n[ \t]/g, ' ');
  const known = async () => [...(await postfix.mails()).keys()];

  it('arrive over STARTTLS with time, text and a link to the console', async () => {
    const before = await known();
    await critical({ code: 'site_failed', message: 'The site North fails', source: 'site' });
    await addMonitoringRecord(admin, { level: 'error', message: 'Not critical' });
    await pass();
    const [mail = ''] = await newMails(before, 1);
    expect(header(mail, 'from')).toBe('portal@example.com');
    expect(header(mail, 'to')).toBe('ops@example.com, night@example.com');
    expect(header(mail, 'subject')).toBe('Critical at portal.example.com: The site North fails');
    expect(header(mail, 'auto-submitted')).toBe('auto-generated');
    expect(header(mail, 'received')).toMatch(/TLSv1\.[23]/);
    expect(mail).toMatch(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC {2}The site North fails/);
    expect(mail.replace(/=\n/g, '')).toContain(
      'https://portal.example.com/console/#/monitoring_record?level=',
    );
    expect(mail).not.toContain('Not critical');
    expect(results).toEqual(['sent']);
  });

  it('are in the language of the installation, and arrive over TLS', async () => {
    const before = await known();
    await critical({ code: 'site_failed', message: 'Площадка Север не отвечает' });
    await pass({ language: 'ru' }, postfix.url.tls);
    const [mail = ''] = await newMails(before, 1);
    const words = header(mail, 'subject').match(/=\?utf-8\?[bq]\?[^?]+\?=/gi) ?? [];
    const subject = words.map(decoded).join('');
    expect(subject).toBe('Критическое событие на portal.example.com: Площадка Север не отвечает');
  });

  it('cannot get further headers from the text of a record', async () => {
    const before = await known();
    const message = 'Disk full\r\nBcc: victim@example.com\r\n\r\nSee http://evil.example';
    await critical({ code: 'disk', message });
    await pass();
    const [mail = ''] = await newMails(before, 1);
    const [head = ''] = mail.split('\n\n');
    expect(head).not.toMatch(/^bcc:/im);
    expect(header(mail, 'subject')).toContain('Disk full\\u000d\\u000aBcc: victim@example.com');
    expect(mail).not.toMatch(/^X-Original-To: victim/im);
  });

  it('are at most one per cause and hour, and the next one has what came meanwhile', async () => {
    const before = await known();
    const cause = { code: 'node_failed', object_type: 'dispatcher', object_id: 'd-1' };
    await critical({ ...cause, message: 'The node d-1 fails' });
    await pass();
    for (let n = 0; n < 30; n++) await critical({ ...cause, message: `The node d-1 fails again, ${n}` });
    await pass();
    await newMails(before, 1);
    expect(results).toEqual(['sent']);
    const { sidecarDb } = world.portal;
    await sidecarDb.update(alertMails).set({ sent_at: sql`now() - interval '61 minutes'` });
    await pass();
    const later = (await newMails(before, 2)).find((mail) => mail.includes('30 critical records'));
    expect(later).toContain('and 10 more');
    await pass();
    expect(results).toEqual(['sent', 'sent']);
  });

  it('are at most 20 per hour: the last one has all further causes', async () => {
    const before = await known();
    for (let n = 0; n < 30; n++) await critical({ code: `cause_${n}`, message: `Cause ${n}` });
    await pass();
    await critical({ code: 'one_more', message: 'One more cause' });
    await pass();
    const mails = await newMails(before, 20);
    expect(results).toHaveLength(20);
    const subjects = mails.map((mail) => header(mail, 'subject'));
    expect(subjects).toContain('Critical at portal.example.com: 11 causes');
    expect(await world.portal.sidecarDb.$count(alerts)).toBe(1);
  });

  it('are not sent to a server whose certificate is not trusted, and later when it is', async () => {
    const before = await known();
    trust(false);
    await critical({ code: 'site_failed', message: 'The site South fails' });
    await pass();
    await pass();
    expect(results).toEqual(['failed', 'failed']);
    const journal = (await admin(`GET ${base}/monitoring?code=alert_mail_failed`)).body.items;
    expect(journal).toMatchObject([{ level: 'error', source: 'jobs' }]);
    const [mark] = await world.portal.sidecarDb.select().from(eventMarks);
    expect(mark).toMatchObject({
      mail_failures: 2,
      mail_due_at: expect.any(Date),
      mail_error: expect.any(String),
    });
    trust(true);
    await pass();
    await newMails(before, 1);
    expect(results).toEqual(['failed', 'failed', 'sent']);
  });

  it('are forgotten without recipients', async () => {
    await critical({ code: 'site_failed', message: 'The site West fails' });
    await pass({ to: '' });
    expect(await world.portal.sidecarDb.$count(alerts)).toBe(0);
    expect(results).toEqual([]);
  });
});

/** A word of a header (RFC 2047). */
function decoded(word: string): string {
  const [, encoding = '', text = ''] = /\?([bq])\?([^?]+)\?=$/i.exec(word) ?? [];
  if (encoding.toLowerCase() === 'b') return Buffer.from(text, 'base64').toString();
  const bytes = text.replaceAll('_', ' ').replace(/=([0-9a-f]{2})/gi, (_, hex: string) => `%${hex}`);
  return decodeURIComponent(bytes);
}
