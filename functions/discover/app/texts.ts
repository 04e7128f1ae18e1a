import { type FrameText, type Say, sayText } from '../../../shared/web/text/texts.ts';

export type DocsText = keyof typeof import('../../../shared/messages/pages/docs.en.json');

/** Texts of the reference, and of the frame. */
export const say: Say<DocsText | FrameText> = sayText;
