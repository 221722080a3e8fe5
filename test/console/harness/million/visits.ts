import type { Locator, Page } from 'playwright-core'
import type { OpenConsole } from '../console.ts'
import type { MillionEvents } from './million-events.ts'

/** Opens one page or view. */
export interface Visit {
  readonly name: string
  /** Navigates to the starting point; not measured. */
  readonly prepare?: () => Promise<unknown>
  readonly open: () => Promise<unknown>
  /** The content to wait for. */
  readonly shows: Locator
}

/** An old event, for lookups by ids from a log. */
export interface OldEvent {
  readonly messageId: string
  readonly userId: string
}

const HOUR_MS = 60 * 60 * 1000

/** Visits to all pages in the console, in order: each starts where the previous one ended. */
export function visitsOf(
  { page, go }: OpenConsole,
  { shop }: MillionEvents,
  old: OldEvent,
): readonly Visit[] {
  return [
    ...overviewVisits(page),
    ...eventVisits(page, go, old),
    ...destinationVisits(page),
    ...userVisits(page, old),
    {
      name: 'failures',
      open: () => click(page, 'Failures'),
      shows: page.getByText('500 http_5xx'),
    },
    {
      name: 'catalog',
      open: () => click(page, 'Catalog'),
      shows: page.getByRole('row', { name: /Order Completed/ }).first(),
    },
    {
      name: 'alerts',
      open: () => click(page, 'Alerts'),
      shows: heading(page, 'Lost or undelivered events'),
    },
    { name: 'sources', open: () => click(page, 'Sources'), shows: link(page, 'Web shop') },
    {
      name: 'a source',
      open: () => go(`sources?source=${shop.web.id}`),
      shows: page.getByRole('dialog').getByText(shop.web.writeKey).first(),
    },
    {
      name: 'privacy',
      // The drawer of the source covers the navigation.
      prepare: () => page.keyboard.press('Escape'),
      open: () => click(page, 'Privacy'),
      shows: text(page, 'No deletions yet'),
    },
    {
      name: 'inspector',
      open: () => click(page, 'Inspector'),
      shows: text(page, 'No destination uses the inspector'),
    },
    {
      name: 'get started',
      open: () => click(page, 'Get started'),
      shows: heading(page, 'Verify the signature in your receiver'),
    },
    ...systemVisits(page),
  ]
}

function overviewVisits(page: Page): readonly Visit[] {
  const period = (words: string): Promise<unknown> =>
    page.getByLabel('Period').selectOption({ label: words })
  const shows = link(page, 'CRM')
  return [
    { name: 'overview', open: () => click(page, 'Overview'), shows },
    {
      name: 'overview of a day',
      prepare: () => click(page, 'Overview'),
      open: () => period('Last 24 hours'),
      shows: page.getByLabel(/^Last 24 hours: /),
    },
    {
      name: 'overview of a week',
      prepare: () => click(page, 'Overview'),
      open: () => period('Last 7 days'),
      shows: page.getByLabel(/^Last 7 days: /),
    },
    { name: 'live', open: () => click(page, 'Live'), shows: page.locator('li[data-row]').first() },
  ]
}

function eventVisits(page: Page, go: OpenConsole['go'], old: OldEvent): readonly Visit[] {
  const events = page.getByRole('region', { name: 'Events' }).getByRole('link').first()
  const prepare = async (): Promise<void> => {
    await click(page, 'Events')
    await page.getByText('More filters').click()
  }
  const fill = async (label: string, value: string): Promise<void> => {
    await page.getByLabel(label, { exact: true }).fill(value)
    await page.keyboard.press('Enter')
    await page.waitForURL((url) => [...url.searchParams.values()].includes(value))
  }
  const pick = async (label: string, words: string): Promise<void> => {
    await page.getByLabel(label, { exact: true }).selectOption({ label: words })
    await page.waitForURL((url) => url.search !== '')
  }
  const by = (name: string, open: () => Promise<void>, shows = events): Visit => ({
    name: `events: ${name}`,
    prepare,
    open,
    shows,
  })
  const ago = (hours: number): string => new Date(Date.now() - hours * HOUR_MS).toISOString()
  return [
    { name: 'events', open: () => click(page, 'Events'), shows: text(page, '50 events.') },
    by('a type', () => pick('Type', 'group')),
    by('a source', () => pick('Source', 'Mobile app')),
    by('the last hour', () => pick('Time', 'Last hour')),
    by('the last week', () => pick('Time', 'Last 7 days')),
    by('an hour of three days ago', () => go(`events?range=custom&from=${ago(73)}&to=${ago(72)}`)),
    by('a name', () => fill('Event name', 'Signed Up')),
    by('a user', () => fill('userId', old.userId)),
    by('an unknown user', () => fill('userId', 'nobody'), text(page, 'No matching events')),
    by('an anonymousId', () => fill('anonymousId', 'anon-7-3')),
    by('a messageId', () => fill('messageId', old.messageId), text(page, '1 event.')),
    by('an outcome', () => pick('Outcome', 'retrying')),
    by('an outcome without matches', () => pick('Outcome', 'held'), footer(page)),
    by('a text', () => fill('Contains', 'leeds')),
    by('a text without matches', () => fill('Contains', 'no such text'), footer(page)),
    by('a name without matches', () => fill('Event name', 'No such name'), footer(page)),
    {
      name: 'the trace of an event',
      prepare: async () => {
        await go(`events?messageId=${old.messageId}`)
        await events.waitFor()
      },
      open: () => events.click(),
      shows: text(page, 'Warehouse'),
    },
  ]
}

function destinationVisits(page: Page): readonly Visit[] {
  const list: Visit = {
    name: 'destinations',
    open: () => click(page, 'Destinations'),
    shows: link(page, 'CRM'),
  }
  const tab = (name: string, shows: Locator): Visit => ({
    name: `a destination: ${name}`,
    open: () => page.getByRole('tab', { name, exact: true }).click(),
    shows,
  })
  const deliveries = page.getByRole('region', { name: 'Deliveries' }).getByRole('row').nth(1)
  const state = page.getByLabel('State', { exact: true })
  return [
    list,
    {
      name: 'a failing destination',
      prepare: list.open,
      open: () => link(page, 'Warehouse').click(),
      shows: page.getByRole('region', { name: 'Failures' }).getByText('500 http_5xx'),
    },
    {
      name: 'a destination',
      prepare: list.open,
      open: () => link(page, 'Push messages').click(),
      shows: heading(page, 'Webhooks'),
    },
    tab('Deliveries', deliveries),
    {
      name: 'a destination: rejected deliveries',
      open: () => state.selectOption('rejected'),
      shows: page.getByRole('row').filter({ hasText: '422' }).first(),
    },
    {
      name: 'a destination: deliveries without matches',
      open: () => state.selectOption('held'),
      shows: footer(page),
    },
    tab('Settings', page.getByLabel('Name', { exact: true })),
    tab('Test', main(page).getByRole('button', { name: 'Preview' })),
    tab('Replay', main(page).getByRole('button', { name: 'Count', exact: true })),
    tab('Audit', text(page, 'created destination')),
    tab('Overview', heading(page, 'Webhooks')),
  ]
}

function userVisits(page: Page, { userId }: OldEvent): readonly Visit[] {
  return [
    { name: 'audiences', open: () => click(page, 'Audiences'), shows: link(page, 'Pros') },
    {
      name: 'a user',
      prepare: async () => {
        await click(page, 'Users')
        await page.getByLabel('userId, anonymousId or email').fill(userId)
        await page.keyboard.press('Enter')
        await link(page, userId).waitFor()
      },
      open: () => link(page, userId).click(),
      shows: page.getByRole('region', { name: 'Events, newest first' }).getByRole('link').first(),
    },
    {
      name: 'an audience',
      prepare: () => click(page, 'Audiences'),
      open: () => link(page, 'Pros').click(),
      shows: heading(page, 'Pros'),
    },
    {
      name: 'the members of an audience',
      open: () => page.getByRole('tab', { name: 'Members' }).click(),
      shows: main(page).getByRole('row').nth(1),
    },
  ]
}

function systemVisits(page: Page): readonly Visit[] {
  const tab = (name: string, shows: Locator): Visit => ({
    name: `system: ${name}`,
    open: () => page.getByRole('tab', { name, exact: true }).click(),
    shows,
  })
  return [
    { name: 'system', open: () => click(page, 'System'), shows: heading(page, 'Storage') },
    tab('Settings', main(page).getByRole('row').nth(1)),
    tab('Tokens', text(page, 'No tokens yet')),
    tab('Sessions', text(page, 'This browser')),
    tab('Audit', main(page).getByRole('row').nth(1)),
  ]
}

/** Opens a page through the navigation. */
async function click(page: Page, name: string): Promise<void> {
  const pages = page.getByRole('navigation', { name: 'Pages' })
  await pages.getByRole('link', { name, exact: true }).click()
}

function main(page: Page): Locator {
  return page.locator('main')
}

function heading(page: Page, name: string | RegExp): Locator {
  return page.getByRole('heading', { name }).first()
}

function link(page: Page, name: string): Locator {
  return main(page)
    .getByRole('link', { name, exact: true })
    .or(main(page).getByRole('button', { name, exact: true }))
    .first()
}

function text(page: Page, words: string | RegExp): Locator {
  return main(page).getByText(words).first()
}

/** The footer of a list without matches so far. */
function footer(page: Page): Locator {
  return text(page, /^No matches among the newest|^No matching (events|deliveries)/)
}
