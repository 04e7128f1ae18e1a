import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { PortalError, type ProblemDocument } from '../../../shared/client/refusals.ts';
import { errorCodes } from '../../../shared/kernel/errors.ts';
import { unreadyReasons } from '../../../shared/remotes/dispatcher/connections.ts';
import { nextSteps } from '../../../shared/web/problems/next-steps.ts';
import { problemOf } from '../../../shared/web/problems/problem.ts';
import { refusalText, textsOf } from '../../../shared/web/problems/problem-texts.ts';

const catalogueOf = (language: string): Record<string, string> =>
  JSON.parse(
    readFileSync(
      new URL(`../../../shared/messages/pages/problems.${language}.json`, import.meta.url),
      'utf8',
    ),
  );
const named = (texts: Record<string, string>, kind: string): string[] =>
  Object.keys(texts)
    .filter((key) => key.startsWith(`${kind}_`))
    .map((key) => key.slice(kind.length + 1))
    .sort();

describe.each(['en', 'ru'])('the texts of problems in %s', (language) => {
  const texts = catalogueOf(language);

  it('are those of every code of the API, and of requests without an answer', () => {
    const ofClient = [
      ...['connection_failed', 'tls_failed', 'no_problem_document', 'user_changed'],
      ...['passkey_not_used', 'passkey_exists'],
    ];
    expect(named(texts, 'problem')).toEqual([...Object.keys(errorCodes), ...ofClient].sort());
    expect(Object.keys(nextSteps).sort()).toEqual(named(texts, 'problem'));
  });

  it('have each next step, and no other', () =>
    expect(named(texts, 'next')).toEqual([...new Set(Object.values(nextSteps))].sort()));

  it('are those of every reason of a refusal', () =>
    expect(named(texts, 'reason')).toEqual([...unreadyReasons, 'other'].sort()));

  it('are sentences: a title without a full stop, and a step with one', () => {
    for (const [key, text] of Object.entries(texts))
      if (key !== 'request') expect([key, text.endsWith('.')]).toEqual([key, key.startsWith('next_')]);
  });
});

describe('a problem', () => {
  beforeAll(() => {
    const texts = { ...catalogueOf('en'), workplace_not_found: 'It is no longer offered' };
    const filled = (text: string) => (values: Readonly<Record<string, string | number>>) =>
      text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name]));
    globalThis.texts = Object.fromEntries(
      Object.entries(texts).map(([key, text]) => [key, filled(text)] as const),
    );
  });
  const refused = (given: Partial<ProblemDocument>) => {
    const problem: ProblemDocument = {
      ...{ type: '', title: 'Title', status: 409, detail: 'Title', instance: 'r-1', retryable: false },
      ...{ code: 'internal', ...given },
    };
    return new PortalError('', { code: problem.code, status: problem.status, retryable: false, problem });
  };
  const shown = (error: unknown, about?: string) => textsOf(problemOf(error), about);

  it('of a request without an answer is that of the network', () =>
    expect(shown(new TypeError('Failed to fetch'))).toEqual({
      title: 'The portal does not answer',
      lines: ['Check your network connection and try again.'],
    }));

  it('has its sentence, the next step and the request, and the detail if it says more than the title', () => {
    expect(shown(refused({ code: 'overloaded' }))).toEqual({
      title: 'The portal is busy',
      lines: ['Wait a minute and try again.', 'Request for the administrator: r-1'],
    });
    expect(shown(refused({ code: 'already_exists', detail: 'A token has this name' })).lines[0]).toBe(
      'A token has this name',
    );
  });

  it('has the text of the page about what the request concerns', () => {
    const error = refused({ code: 'not_found' });
    expect(shown(error, 'workplace').title).toBe('It is no longer offered');
    expect(shown(error).title).toBe('It does not exist any more');
    expect(shown(refused({ code: 'internal' }), 'workplace').title).toBe('An internal error occurred');
  });

  it('has the reason of a refusal as its title', () => {
    const { title, lines } = shown(
      refused({ code: 'invalid_state', reason: 'maintenance', detail: 'Until noon' }),
      'workplace',
    );
    expect([title, lines[0]]).toEqual(['The workplace is in maintenance', 'Until noon']);
    expect(shown(refused({ code: 'invalid_state', reason: 'of_another_kind' })).title).toBe(
      'This is not possible now',
    );
    expect(refusalText('of_another_kind')).toBe('The workplace cannot be used now');
  });

  it('of a later version has the detail of the portal', () =>
    expect(shown(refused({ code: 'invented', detail: 'The moon is full' })).title).toBe('The moon is full'));
});
