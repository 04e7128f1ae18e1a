import { type Cause, type MailState, mostMails } from '../../../../db/repositories/alerts/alerts.ts';
import { escapeControls } from '../../../../shared/kernel/text.ts';
import type { Language } from '../../../../shared/messages/languages.ts';
import { mailTexts } from '../../../../shared/messages/mails.ts';

/**
 * Divides causes into mails: one for each, and the last one of the hour for all that remain.
 * @returns the causes of each mail
 */
export function mailsOf({ causes, sent }: Pick<MailState, 'causes' | 'sent'>): Cause[][] {
  const room = Math.max(0, mostMails - sent);
  if (causes.length <= room) return causes.map((cause) => [cause]);
  if (room === 0) return [];
  const single = causes.slice(0, room - 1).map((cause) => [cause]);
  return [...single, causes.slice(room - 1)];
}

/** Characters of a subject. */
const longestSubject = 150;
/** Characters of a message in the text. */
const longestMessage = 500;

/** @param baseUrl of the portal, for the link to the console */
export function mailText(
  causes: readonly Cause[],
  baseUrl: string,
  language: Language,
): { subject: string; text: string } {
  const texts = mailTexts[language];
  const place = new URL(baseUrl).hostname;
  const [first] = causes;
  const subject =
    causes.length === 1
      ? texts.subject(place, first?.shown[0]?.message ?? '')
      : texts.summary(place, causes.length);
  const sections = causes.map((cause) => sectionOf(cause, language, causes.length === 1 ? 20 : 3));
  const link = `${baseUrl}/console/#/monitoring_record?level=critical`;
  return {
    subject: short(escapeControls(subject), longestSubject),
    text: [...sections, `${texts.journal}\n${link}`, texts.reason].join('\n\n'),
  };
}

function sectionOf({ count, shown }: Cause, language: Language, most: number): string {
  const texts = mailTexts[language];
  const lines = shown
    .slice(0, most)
    .map(({ at, message }) => `${momentText(at)}  ${short(escapeControls(message), longestMessage)}`);
  const left = count - lines.length;
  return [`${texts.records(count)}:`, ...lines, ...(left > 0 ? [texts.more(left)] : [])].join('\n');
}

/** `2026-11-24 14:05:09 UTC`. */
const momentText = (at: Date): string => `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`;

const short = (text: string, most: number): string => {
  const characters = [...text];
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`;
};
