import type { IconName } from '../design/icon.tsx'

/** A page of the console, as the navigation and the palette name it. */
export interface ConsolePage {
  readonly to: string
  readonly name: string
  readonly icon: IconName
  /** What it answers. */
  readonly about: string
}

/** The pages in their groups, as the navigation shows them. */
export const PAGE_GROUPS: readonly (readonly ConsolePage[])[] = [
  [
    {
      to: '/get-started',
      name: 'Get started',
      icon: 'start',
      about: 'From an empty service to a verified delivery',
    },
    {
      to: '/',
      name: 'Overview',
      icon: 'overview',
      about: 'How the service is, and what is wrong now',
    },
  ],
  [
    { to: '/live', name: 'Live', icon: 'live', about: 'Events and deliveries as they happen' },
    {
      to: '/events',
      name: 'Events',
      icon: 'events',
      about: 'Find an event, and see what became of it',
    },
    {
      to: '/failures',
      name: 'Failures',
      icon: 'warning',
      about: 'What failed, why, and how to mend it',
    },
  ],
  [
    {
      to: '/sources',
      name: 'Sources',
      icon: 'sources',
      about: 'Where events come from, and write keys',
    },
    {
      to: '/destinations',
      name: 'Destinations',
      icon: 'destinations',
      about: 'Where events go: webhooks, secrets, pauses',
    },
    {
      to: '/inspector',
      name: 'Inspector',
      icon: 'inspector',
      about: 'The receiver that is built in',
    },
  ],
  [
    {
      to: '/audiences',
      name: 'Audiences',
      icon: 'audiences',
      about: 'Groups of users, and computed traits',
    },
    { to: '/privacy', name: 'Privacy', icon: 'privacy', about: 'Delete users, with receipts' },
    {
      to: '/system',
      name: 'System',
      icon: 'system',
      about: 'Storage, settings, tokens, sessions, audit, backup',
    },
  ],
]

export const PAGES: readonly ConsolePage[] = PAGE_GROUPS.flat()
