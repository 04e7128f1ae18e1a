import { describe, expect, it } from 'vitest';
import { noId } from '../../shared/kernel/ids.ts';
import { useWorld } from '../support/factories.ts';

const world = useWorld();
const path = `POST /api/auth/v7.0/oidc/${noId}/backchannel-logout`;
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const send = (body: string, headers: Record<string, string> = form) =>
  world.portal.send(path, { body, headers });

describe('a form', () => {
  it('is read with its charset', async () => {
    const typed = { 'content-type': 'Application/X-WWW-Form-Urlencoded; charset=utf-8' };
    for (const headers of [form, typed])
      expect((await send('logout_token=a%20b', headers)).body.code).toBe('not_found');
  });

  it.each([
    'application/json',
    'text/plain',
    'multipart/form-data; boundary=x',
    '',
  ])('is not accepted as %j', async (type) => {
    const answer = await send('logout_token=x', { 'content-type': type });
    expect([answer.status, answer.body.code]).toEqual([415, 'unsupported_media_type']);
  });

  it('must not be compressed or too large', async () => {
    expect((await send('a=b', { ...form, 'content-encoding': 'gzip' })).status).toBe(415);
    const answer = await send(`logout_token=${'a'.repeat(33_000)}`);
    expect([answer.status, answer.body.limit_bytes]).toEqual([413, 32_768]);
  });

  it('must not repeat a member, or have one that cannot be stored', async () => {
    const { body } = await send('logout_token=a&logout_token=b');
    expect(body.errors).toEqual([expect.objectContaining({ pointer: '/logout_token', code: 'repeated' })]);
    const odd = await send('logout_token=%00');
    expect(odd.body.errors).toEqual([
      expect.objectContaining({ pointer: '/logout_token', code: 'invalid_text' }),
    ]);
    const own = await send('__proto__=1&constructor=2');
    expect(own.body.code).toBe('not_found');
  });

  it('is required where a body is', async () => {
    expect((await send('')).body.errors).toEqual([
      expect.objectContaining({ pointer: '', code: 'required' }),
    ]);
  });

  it('of a browser is refused with a page', async () => {
    const answer = await world.portal.send('POST /api/auth/v7.0/oidc/callback', {
      body: 'state=unknown',
      headers: { ...form, accept: 'text/html' },
    });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([401, 'text/html; charset=utf-8']);
    expect(answer.body).toContain('/api/errors/login_expired');
    expect(answer.body).toContain('<a href="/signin">Try again</a>');
    const program = await world.portal.send('POST /api/auth/v7.0/oidc/callback', {
      body: 'state=unknown',
      headers: form,
    });
    expect(program.body.code).toBe('login_expired');
  });
});
