import type { AccountText } from '../../../shared/web/account/texts.ts';
import { type FrameText, type Say, sayText } from '../../../shared/web/text/texts.ts';

export type HomeText = keyof typeof import('../../../shared/messages/pages/home.en.json');

/** Texts of the page of the user, of the account, and of the frame. */
export const say: Say<HomeText | AccountText | FrameText> = sayText;
