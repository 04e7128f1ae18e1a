import { type FrameText, type Say, sayText } from '../../../shared/web/text/texts.ts';

export type HomeText = keyof typeof import('../../../shared/messages/pages/home.en.json');

/** Texts of the page of the user, and of the frame. */
export const say: Say<HomeText | FrameText> = sayText;
