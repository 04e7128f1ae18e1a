import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { createServer, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { alertMails, alerts } from '../../../db/schema/alerts/alerts.ts';
import { monitoringRecords } from '../../../db/schema/monitoring/records.ts';
import { eventMarks } from '../../../db/schema/webhooks/deliveries.ts';
import { createMailer } from '../../../shared/remotes/mail/node.ts';
import { freePorts } from '../../e2e/support/portal-process.ts';
import { createAuthority } from '../../simulator/authority.ts';
import { addMonitoringRecord, adminOf, base, useWorld } from '../../support/factories.ts';
import { passAlerts } from '../../support/mail/alert-pass.ts';
import { hasPostfixLogins, type Postfix, startPostfix } from '../../support/mail/postfix.ts';
import { requireService } from '../../support/services.ts';

// A mail passes through the queue of the server.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** Characters that a URL must escape, and that SMTP sends in base64. */
const account = { user: 'portal@example.com', password: 'p@ss/w:rd %41 ключ' };

requireService('postfix and sasl2-bin', hasPostfixLogins)('mails to a server with logins', () => {
  const world = useWorld();
  const admin = adminOf(world);
  const systemAuthorities = getCACertificates('default');
  let postfix: Postfix;

  beforeAll(async () => {
    postfix = await startPostfix(await freePorts(2), account);
    setDefaultCACertificates([...systemAuthorities, postfix.caPem]);
  });
  beforeEach(async () => {
    const { ownerDb } = world.portal;
    await passAlerts(world, { url: as(account), to: '' });
    await ownerDb.delete(alerts);
    await ownerDb.delete(alertMails);
    await ownerDb.delete(monitoringRecords);
    await ownerDb.update(eventMarks).set({ mail_due_at: null, mail_failures: 0, mail_error: null });
  });
  afterAll(async () => {
    setDefaultCACertificates(systemAuthorities);
    await postfix.stop();
  });

  const as = ({ user, password }: typeof account, server: 'starttls' | 'tls' = 'starttls'): string => {
    const url = new URL(postfix.url[server]);
    return `${url.protocol}//${encodeURIComponent(user)}:${encodeURIComponent(password)}@${url.host}`;
  };
  const addFailure = (name: string) =>
    addMonitoringRecord(admin, {
      ...{ level: 'critical', code: 'site_failed', source: 'site', object_type: 'site', object_id: name },
      message: `The site ${name} fails`,
    });
  const mailAbout = async (text: string): Promise<string | undefined> =>
    [...(await postfix.mails()).values()].find((mail) => mail.includes(text));
  const failures = async () => (await admin(`GET ${base}/monitoring?code=alert_mail_failed`)).body.items;

  it.each(['starttls', 'tls'] as const)('log in and arrive over %s', async (server) => {
    await addFailure(`North by ${server}`);
    expect(await passAlerts(world, { url: as(account, server) })).toEqual(['sent']);
    const text = `The site North by ${server} fails`;
    await expect.poll(() => mailAbout(text), { timeout: 30_000 }).toContain('(Authenticated sender: portal@');
  });

  it('wait while the password is wrong, with the reason in the journal, and arrive afterwards', async () => {
    const wrong = { ...account, password: 'not the right one' };
    await addFailure('South');
    const results = await passAlerts(world, { url: as(wrong) });
    results.push(...(await passAlerts(world, { url: as(wrong) })));
    expect(results).toEqual(['failed', 'failed']);
    expect(await world.portal.sidecarDb.$count(alerts)).toBe(1);
    const [mark] = await world.portal.sidecarDb.select().from(eventMarks);
    expect(mark).toMatchObject({ mail_failures: 2, mail_due_at: expect.any(Date) });
    const [failure, ...others] = await failures();
    expect(others).toEqual([]);
    expect(failure.details.error).toMatch(/535.*authentication failed/i);
    for (const text of [wrong.password, Buffer.from(wrong.password).toString('base64')])
      expect(JSON.stringify([failure, mark])).not.toContain(text);
    expect(await passAlerts(world, { url: as(account) })).toEqual(['sent']);
    await expect.poll(() => mailAbout('The site South fails'), { timeout: 30_000 }).toBeDefined();
  });

  it('are refused without a login, and the journal has that reason', async () => {
    await addFailure('West');
    expect(await passAlerts(world, { url: postfix.url.tls })).toEqual(['failed']);
    expect((await failures())[0].details.error).toMatch(/55\d/);
  });
});

it('a server that repeats the refused login does not reveal the password', async () => {
  const authority = await createAuthority('Mail servers');
  const trusted = getCACertificates('default');
  setDefaultCACertificates([...trusted, authority.caPem]);
  const server = createServer(await authority.issue(), (socket) => {
    socket.on('error', () => socket.destroy());
    socket.write('220 mail.example.com ESMTP\r\n');
    createInterface({ input: socket }).on('line', (line) => {
      if (line.startsWith('EHLO')) socket.write('250-mail.example.com\r\n250 AUTH PLAIN\r\n');
      else if (line.startsWith('AUTH')) socket.write(`535 Refused: ${line} of ${account.password}\r\n`);
      else socket.end('221 Bye\r\n');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const login = `${encodeURIComponent(account.user)}:${encodeURIComponent(account.password)}`;
  const mailer = createMailer(`smtps://${login}@localhost:${port}`, 'portal@example.com');
  const sending = mailer.send({ to: ['ops@example.com'], subject: 'Test', text: 'Test' });
  await expect(sending).rejects.toThrow('535 Refused: AUTH PLAIN … of …');
  setDefaultCACertificates(trusted);
  await new Promise((resolve) => server.close(resolve));
});
