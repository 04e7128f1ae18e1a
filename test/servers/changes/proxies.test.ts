import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { root } from '../../../shared/tooling/build/bundles.ts';
import { ensureLocalTls } from '../../../shared/tooling/start/tls/local-tls.ts';
import { addSite, startWorld, useStand } from '../../support/factories.ts';
import { changesPath, patient, serveChanges } from '../../support/http/changes.ts';
import { startPortal } from '../../support/portal.ts';
import { overHttp1, overHttp2, type Receiving } from '../../support/proxies/clients.ts';
import { hasNginx, startHaproxy, startNginx } from '../../support/proxies/proxies.ts';
import { hasHaproxy } from '../../support/replication/haproxy.ts';
import { requireService } from '../../support/services.ts';

vi.setConfig({ testTimeout: 60_000 });

/** Milliseconds in which an event has to arrive. */
const soonMs = 2_000;
/** Milliseconds between the comments that keep the connection open: shorter than the patience of the proxies. */
const beatMs = 300;
const patienceS = 2;

describe.each([
  ['nginx', hasNginx, startNginx],
  ['haproxy', hasHaproxy, startHaproxy],
] as const)('%s', (name, isPresent, start) => {
  requireService(name, isPresent)('in front of the stream of changes', () => {
    const stand = useStand(async () => {
      const world = await startWorld({ changeLimits: { everyMs: 200, beatMs } });
      const served = await serveChanges(world.portal);
      const tls = await ensureLocalTls(join(root, 'dist', 'tls'), ['localhost']);
      const to = Number(new URL(served.origin).port);
      const proxy = await start({ to, tls, patienceS });
      const close = async () => {
        world.portal.deps.changes?.end();
        await proxy.stop();
        await served.close();
        await world.portal.close();
      };
      return { world, proxy, to, tls, close };
    });
    const size = () => stand.world.portal.deps.changes?.size();

    describe.each([
      ['HTTP/1.1', 'plain', overHttp1],
      ['HTTP/2', 'secure', overHttp2],
    ] as const)('over %s', (_, door, connect) => {
      const follow = async (token: string): Promise<Receiving> => {
        const headers = { 'x-auth-token': token, accept: 'text/event-stream' };
        const stream = await connect({ port: stand.proxy[door], path: changesPath, headers });
        await expect.poll(stream.text, patient).toContain('event: reset');
        return stream;
      };
      /** Milliseconds from a write to its event. */
      const delayOf = async (stream: Receiving): Promise<number> => {
        const site = await addSite(stand.world.admin);
        const writtenAt = performance.now();
        await expect.poll(stream.text, patient).toContain(site.id);
        return performance.now() - writtenAt;
      };

      it('events arrive at once', async () => {
        const stream = await follow(await stand.world.portal.login());
        expect(stream.headers).toMatchObject({ 'cache-control': expect.stringContaining('no-transform') });
        const delays = [await delayOf(stream), await delayOf(stream), await delayOf(stream)];
        // One of them may meet a busy machine.
        expect(Math.min(...delays)).toBeLessThan(soonMs);
        expect(stream.hasEnded()).toBe(false);
        stream.leave();
        await expect.poll(size, patient).toBe(0);
      });

      it('comments keep it open for longer than the proxy waits', async () => {
        const stream = await follow(await stand.world.portal.login());
        const beats = () => stream.text().split('\n: \n').length - 1;
        await expect.poll(beats, patient).toBeGreaterThan((2_000 * patienceS) / beatMs);
        expect(stream.hasEnded()).toBe(false);
        await delayOf(stream);
        stream.leave();
        await expect.poll(size, patient).toBe(0);
      });

      it('it ends with the session, and the connections to the portal with their clients', async () => {
        const own = await stand.world.portal.login();
        const stream = await follow(own);
        const other = await follow(await stand.world.portal.login());
        expect(size()).toBe(2);
        await stand.world.portal.send('POST /api/auth/v7.0/logout', { token: own });
        await expect.poll(stream.hasEnded, patient).toBe(true);
        expect(other.hasEnded()).toBe(false);
        other.leave();
        await expect.poll(size, patient).toBe(0);
      });

      it('it ends when the process is stopped', async () => {
        const stream = await follow(await stand.world.portal.login());
        stand.world.portal.deps.changes?.endAll();
        await expect.poll(stream.hasEnded, patient).toBe(true);
      });
    });

    it('cuts a stream without comments, which the tests above would notice', async () => {
      const quiet = await startPortal({ changeLimits: { beatMs: Number.POSITIVE_INFINITY } });
      const served = await serveChanges(quiet);
      const to = Number(new URL(served.origin).port);
      const proxy = await start({ to, tls: stand.tls, patienceS });
      const headers = { 'x-auth-token': await quiet.login(), accept: 'text/event-stream' };
      const stream = await overHttp1({ port: proxy.plain, path: changesPath, headers });
      await expect.poll(stream.hasEnded, patient).toBe(true);
      await proxy.stop();
      quiet.deps.changes?.end();
      await served.close();
      await quiet.close();
    });
  });
});
