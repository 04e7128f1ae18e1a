import type { Language } from './languages.ts';

/** Sentences of the mails about critical monitoring records. */
type MailTexts = {
  /** @param place name of the portal */
  subject: (place: string, message: string) => string;
  summary: (place: string, causes: number) => string;
  records: (count: number) => string;
  more: (count: number) => string;
  journal: string;
  reason: string;
};

const russian = new Intl.PluralRules('ru');
const forms = (count: number, one: string, few: string, many: string): string => {
  const form = russian.select(count);
  return `${count} ${form === 'one' ? one : form === 'few' ? few : many}`;
};

export const mailTexts = {
  en: {
    subject: (place, message) => `Critical at ${place}: ${message}`,
    summary: (place, causes) => `Critical at ${place}: ${causes} ${causes === 1 ? 'cause' : 'causes'}`,
    records: (count) => `${count} critical ${count === 1 ? 'record' : 'records'}`,
    more: (count) => `and ${count} more`,
    journal: 'Monitoring journal:',
    reason:
      'The recipients are the system parameter alerts.email_to. There is at most one mail per cause and hour; further records of the cause are in the next one.',
  },
  ru: {
    subject: (place, message) => `Критическое событие на ${place}: ${message}`,
    summary: (place, causes) =>
      `Критические события на ${place}: ${forms(causes, 'причина', 'причины', 'причин')}`,
    records: (count) => forms(count, 'критическая запись', 'критические записи', 'критических записей'),
    more: (count) => `и ещё ${count}`,
    journal: 'Журнал мониторинга:',
    reason:
      'Получатели заданы системным параметром alerts.email_to. По одной причине приходит не более одного письма в час; следующие записи о ней войдут в следующее письмо.',
  },
} as const satisfies Record<Language, MailTexts>;
