import { alertTask } from '../../../functions/health/jobs/alerts/task.ts';
import { eventTask } from '../../../functions/health/jobs/webhooks/fan-out.ts';
import { parametersFrom } from '../../../shared/kernel/system-parameters.ts';
import { createMailer } from '../../../shared/remotes/mail/node.ts';
import type { World } from '../factories.ts';
import { allReadable } from '../http/changes.ts';

const never = new AbortController().signal;
const clock = () => new Date();

type Given = { url: string; to?: string; language?: string };

/**
 * Queues new critical records, and sends what is due, as the sidecar does.
 * @returns the results of the mails
 */
export async function passAlerts(
  { portal: { sidecarDb: db, deps } }: World,
  { url, to = 'ops@example.com,night@example.com', language = 'en' }: Given,
): Promise<string[]> {
  const results: string[] = [];
  const parameters = {
    current: () => parametersFrom({ 'alerts.email_to': to, 'ui.default_language': language }),
  };
  await allReadable(db);
  await eventTask({ db, clock, mails: () => true }).round(never);
  const mailer = createMailer(url, 'portal@example.com');
  const telemetry = { count: (_: string, [result = '']: readonly string[]) => void results.push(result) };
  const baseUrl = 'https://portal.example.com';
  await alertTask({ db, mailer, baseUrl, parameters, clock, log: deps.log, telemetry }).round(never);
  return results;
}
