import { type FrameText, type Say, sayText } from '../../../shared/web/text/texts.ts';

type OverviewText = keyof typeof import('../../../shared/messages/console/overview.en.json');
type AccessText = keyof typeof import('../../../shared/messages/console/access.en.json');
type RecordsText = keyof typeof import('../../../shared/messages/console/records.en.json');

/** Texts of the console: of its shell and of its areas. Each key is in one file only. */
export type ConsoleText =
  | keyof typeof import('../../../shared/messages/pages/console.en.json')
  | AccessText
  | OverviewText
  | RecordsText;

/** Texts of the console, and of the frame. */
export const say: Say<ConsoleText | FrameText> = sayText;
