import type { IconName } from '../design/icon.tsx'

export interface ConsolePage {
  readonly to: string
  readonly name: string
  readonly icon: IconName
}

/** The groups of the navigation. Descriptions are in `page-descriptions.ts`. */
export const PAGE_GROUPS: readonly (readonly ConsolePage[])[] = [
  [
    { to: '/get-started', name: 'Get started', icon: 'start' },
    { to: '/', name: 'Overview', icon: 'overview' },
  ],
  [
    { to: '/live', name: 'Live', icon: 'live' },
    { to: '/events', name: 'Events', icon: 'events' },
    { to: '/catalog', name: 'Catalog', icon: 'catalog' },
    { to: '/failures', name: 'Failures', icon: 'warning' },
    { to: '/alerts', name: 'Alerts', icon: 'alerts' },
  ],
  [
    { to: '/sources', name: 'Sources', icon: 'sources' },
    { to: '/destinations', name: 'Destinations', icon: 'destinations' },
    { to: '/inspector', name: 'Inspector', icon: 'inspector' },
  ],
  [
    { to: '/audiences', name: 'Audiences', icon: 'audiences' },
    { to: '/users', name: 'Users', icon: 'user' },
    { to: '/privacy', name: 'Privacy', icon: 'privacy' },
    { to: '/system', name: 'System', icon: 'system' },
  ],
]

export const PAGES: readonly ConsolePage[] = PAGE_GROUPS.flat()
