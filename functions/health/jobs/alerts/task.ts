import { atomically, type Db } from '../../../../db/client.ts';
import {
  type Cause,
  forgetAlerts,
  noteMail,
  noteMailFailure,
  readMailState,
} from '../../../../db/repositories/alerts/alerts.ts';
import { appendMonitoring } from '../../../../db/repositories/monitoring/records.ts';
import type { Clock } from '../../../../shared/kernel/clock.ts';
import type { Log } from '../../../../shared/kernel/observability/log.ts';
import type { Telemetry } from '../../../../shared/kernel/observability/telemetry.ts';
import { escapeControls, startOf } from '../../../../shared/kernel/text.ts';
import { isLanguage } from '../../../../shared/messages/languages.ts';
import type { Mailer } from '../../../../shared/remotes/mail/node.ts';
import type { CachedParameters } from '../parameters.ts';
import type { Task } from '../process/agenda.ts';
import { mailsOf, mailText } from './mails.ts';

export type AlertParts = {
  db: Db;
  mailer: Mailer;
  baseUrl: string;
  parameters: CachedParameters;
  clock: Clock;
  log: Pick<Log, 'warn'>;
  telemetry: Pick<Telemetry, 'count'>;
};

/** Seconds until the first repetition of a failed mail; the pause doubles up to an hour. */
const firstPauseS = 60;
const longestPauseS = 3_600;

/** The recipients of mails about critical records. */
export const recipientsOf = (parameters: CachedParameters): string[] =>
  parameters
    .current()
    ['alerts.email_to'].split(',')
    .filter((address) => address !== '');

/** Mails critical monitoring records, at least once: a mail is noted after the server has accepted it. */
export const alertTask = (parts: AlertParts): Task => ({
  name: 'alert mails',
  intervalMs: () => 1_000,
  dueIn: ({ alerts }) => alerts,
  round: async (signal) => {
    const { db, parameters } = parts;
    const to = recipientsOf(parameters);
    if (to.length === 0) return void (await forgetAlerts(db));
    const state = await readMailState(db);
    for (const causes of mailsOf(state))
      if (signal.aborted || !(await sendMail(parts, to, causes, state.failures))) return;
  },
});

async function sendMail(
  { db, mailer, baseUrl, parameters, clock, log, telemetry }: AlertParts,
  to: readonly string[],
  causes: readonly Cause[],
  failures: number,
): Promise<boolean> {
  const language = parameters.current()['ui.default_language'];
  const mail = mailText(causes, baseUrl, isLanguage(language) ? language : 'en');
  try {
    await mailer.send({ to, ...mail });
  } catch (error) {
    const reason = startOf(escapeControls(error instanceof Error ? error.message : String(error)), 500);
    telemetry.count('alert_mails', ['failed']);
    if (failures === 0) log.warn('a mail could not be sent', { error: reason });
    const pauseS = Math.min(firstPauseS * 2 ** Math.min(failures, 10), longestPauseS);
    await atomically(db, (h) => [
      noteMailFailure(h, reason, pauseS),
      // Once per outage, and not critical: this record must not be mailed itself.
      ...(failures === 0 ? [appendMonitoring(h, failureAt(clock(), reason))] : []),
    ]);
    return false;
  }
  telemetry.count('alert_mails', ['sent']);
  await noteMail(db, causes);
  return true;
}

const failureAt = (at: Date, error: string) =>
  ({
    at,
    level: 'error',
    source: 'jobs',
    code: 'alert_mail_failed',
    message: 'Mails about critical monitoring records cannot be sent',
    details: { error },
  }) as const;
