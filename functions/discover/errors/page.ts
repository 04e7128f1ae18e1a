import { html } from 'hono/html';
import { type MessageView, messageDocument } from '../../../shared/http/pages/message-page.ts';
import { Document } from '../../../shared/http/serve/answer.ts';
import { type Language, languages } from '../../../shared/messages/languages.ts';
import type { ErrorEntry } from './entry.ts';

const words = {
  en: {
    meaning: 'Meaning',
    cause: 'Cause',
    remedy: 'What to do',
    retryable: 'Retrying may help',
    final: 'Retrying does not help',
  },
  ru: {
    meaning: 'Значение',
    cause: 'Причина',
    remedy: 'Что делать',
    retryable: 'Повтор запроса может помочь',
    final: 'Повтор запроса не поможет',
  },
} as const;

const names: Record<Language, string> = { en: 'English', ru: 'Русский' };

/** The explanation of a code as a page, with a link to the other language. */
export function explanationPage(
  entry: ErrorEntry,
  view: MessageView,
  headers: Record<string, string>,
): Document {
  const said = words[view.language];
  const others = languages.filter((language) => language !== view.language);
  const { text, headers: ofPage } = messageDocument({
    title: entry.title,
    view,
    tools: html`<nav>${others.map(
      (language) =>
        html`<a href="?language=${language}" lang="${language}" hreflang="${language}">${names[language]}</a>`,
    )}</nav>`,
    content: html`<p class="facts"><code>${entry.code}</code> · HTTP ${entry.status} · ${entry.retryable ? said.retryable : said.final}</p>
<dl>
<div><dt>${said.meaning}</dt><dd>${marked(entry.meaning)}</dd></div>
<div><dt>${said.cause}</dt><dd>${marked(entry.cause)}</dd></div>
<div><dt>${said.remedy}</dt><dd>${marked(entry.remedy)}</dd></div>
</dl>`,
  });
  return new Document(text, 'text/html; charset=utf-8', { ...headers, ...ofPage });
}

/** Backquotes in the texts mark code. */
const marked = (text: string) =>
  text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part));
