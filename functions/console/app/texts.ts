import { type FrameText, type Say, sayText } from '../../../shared/web/text/texts.ts';

export type ConsoleText = keyof typeof import('../../../shared/messages/pages/console.en.json');

/** Texts of the console, and of the frame. */
export const say: Say<ConsoleText | FrameText> = sayText;
