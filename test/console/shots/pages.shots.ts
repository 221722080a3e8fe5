import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openSignedIn, useChromium } from '../harness/console.ts'
import { ShopService } from './shop-service.ts'
import { customer } from './shop.ts'
import { takePicture } from './take-picture.ts'

const TWO_HOURS_TAKE_MS = 600_000

useChromium()

let shop: ShopService
beforeAll(async () => {
  shop = await ShopService.open()
}, TWO_HOURS_TAKE_MS)
afterAll(() => shop[Symbol.asyncDispose]())

interface Shot {
  readonly path: string | (() => string | Promise<string>)
  /** Waits until the page shows the content for the screenshot. */
  readonly ready: (page: Page) => Promise<unknown>
}

/** Waits until the page shows this text. */
const showsText =
  (text: string) =>
  (page: Page): Promise<void> =>
    page.getByRole('main').getByText(text).first().waitFor()

const hasRow =
  (number: number) =>
  (page: Page): Promise<void> =>
    page.getByRole('row').nth(number).waitFor()

const SHOTS: Readonly<Record<string, Shot>> = {
  'get-started': { path: 'get-started', ready: showsText('Receive a signed delivery') },
  overview: { path: '?period=1h', ready: showsText('Inspector') },
  live: { path: 'live', ready: (page) => page.locator('li[data-row]').nth(14).waitFor() },
  events: { path: 'events', ready: hasRow(12) },
  trace: { path: async () => `events/${await refusedEvent()}`, ready: showsText('401') },
  destinations: { path: 'destinations', ready: showsText('failing') },
  destination: { path: () => of('mailing'), ready: showsText('Delivery latency') },
  'destination-settings': {
    path: () => `${of('erp')}?tab=settings`,
    ready: showsText('Shared secret'),
  },
  'destination-test': {
    path: () => `${of('crm')}?tab=test`,
    ready: async (page) => {
      await page.getByRole('button', { name: 'Preview' }).click()
      await showsText('Request (not sent)')(page)
    },
  },
  catalog: { path: 'catalog', ready: hasRow(4) },
  failures: { path: 'failures', ready: showsText('The API key was revoked') },
  alerts: { path: 'alerts', ready: showsText('Calls Refused') },
  sources: { path: 'sources', ready: hasRow(5) },
  audiences: { path: 'audiences', ready: showsText('Big spenders') },
  audience: {
    path: async () => `audiences?audience=${await audience()}`,
    ready: showsText('Entered'),
  },
  'audience-builder': {
    path: async () => `audiences?audience=${await audience()}&tab=definition`,
    ready: showsText('Preview'),
  },
  user: { path: `users/${customer(1)}`, ready: showsText('Revenue 30d') },
  privacy: { path: 'privacy', ready: hasRow(1) },
  inspector: { path: 'inspector', ready: (page) => page.getByRole('row').nth(2).click() },
  system: { path: 'system', ready: showsText('Write-ahead log') },
}

test.for(['light', 'dark'] as const)('every page, %s', async (colorScheme) => {
  const viewport = { width: 1280, height: 860 }
  const { page, pageErrors, go } = await openSignedIn(shop.service, { colorScheme, viewport })
  const traffic = setInterval(() => void shop.send(0.15), 400)
  for (const [name, { path, ready }] of Object.entries(SHOTS)) {
    await go(typeof path === 'string' ? path : await path())
    await ready(page)
    await takePicture(page, name, colorScheme)
  }
  clearInterval(traffic)
  expect(pageErrors).toEqual([])
})

function of(name: string): string {
  return `destinations/${shop.destinations[name]!}`
}

/** An event that the ERP rejected, with a stored response. */
async function refusedEvent(): Promise<string> {
  const { sampleDeliveryId: id } = await first<{ sampleDeliveryId: string }>('deliveries/failures')
  return (await shop.service.api.call<{ eventId: string }>('GET', `deliveries/${id}`)).eventId
}

async function audience(): Promise<string> {
  return (await first<{ id: string }>('audiences')).id
}

async function first<Item>(list: string): Promise<Item> {
  const { data } = await shop.service.api.call<{ data: Item[] }>('GET', list)
  return data[0]!
}
