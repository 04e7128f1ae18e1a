import type { AccountText as OwnText } from '../../../shared/web/account/texts.ts';
import { type FrameText, type Say, sayText } from '../../../shared/web/text/texts.ts';

type AccessText = keyof typeof import('../../../shared/messages/console/access.en.json');
type FleetText = keyof typeof import('../../../shared/messages/console/fleet.en.json');
type GalleryText = keyof typeof import('../../../shared/messages/console/gallery.en.json');
type JournalText = keyof typeof import('../../../shared/messages/console/journal.en.json');
type OverviewText = keyof typeof import('../../../shared/messages/console/overview.en.json');
type PaletteText = keyof typeof import('../../../shared/messages/console/palette.en.json');
type RecordsText = keyof typeof import('../../../shared/messages/console/records.en.json');
type RolesText = keyof typeof import('../../../shared/messages/console/roles.en.json');
type RoutingText = keyof typeof import('../../../shared/messages/console/routing.en.json');
type SettingsText = keyof typeof import('../../../shared/messages/console/settings.en.json');
type SetupText = keyof typeof import('../../../shared/messages/console/setup.en.json');
type WebhooksText = keyof typeof import('../../../shared/messages/console/webhooks.en.json');

/** Texts of the console: of its shell and of its areas. Each key is in one file only. */
export type ConsoleText =
  | keyof typeof import('../../../shared/messages/pages/console.en.json')
  | AccessText
  | OwnText
  | FleetText
  | GalleryText
  | JournalText
  | OverviewText
  | PaletteText
  | RecordsText
  | RolesText
  | RoutingText
  | SettingsText
  | SetupText
  | WebhooksText;

/** Texts of the console, and of the frame. */
export const say: Say<ConsoleText | FrameText> = sayText;
