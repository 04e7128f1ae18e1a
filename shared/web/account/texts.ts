import { type FrameText, type Say, sayText } from '../text/texts.ts';

export type AccountText = keyof typeof import('../../messages/pages/account.en.json');

/** Texts of the account, and of the frame. */
export const say: Say<AccountText | FrameText> = sayText;
