import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { type RunningService, startService } from '@hookline/testing/service/running-service'
import { expectAccessible } from './harness/accessible.ts'
import { expectFits, openSignedIn, useChromium } from './harness/console.ts'
import { NARROW } from './harness/narrow.ts'

useChromium()

const HOSTILE = `<img src=x onerror=alert(1)>\u202Egnirts \u001B[31m${'W'.repeat(120)}`
const ALL_CLEAR = 'No problems.'

function problemsOf(page: Page) {
  return page.getByRole('region', { name: 'Needs attention' })
}

/** Sends an event to a destination with this receiver, and waits until its delivery has finished. */
async function deliverTo(service: RunningService, url: string): Promise<string> {
  const id = await service.createDestination({ urls: [url] })
  await service.track('m1')
  await service.endOf('m1')
  return id
}

test('problems are shown with a remedy and a link', async () => {
  await using service = await startService()
  await using receiver = await openReceiver({ respond: { status: 404, body: 'no such hook' } })
  const id = await deliverTo(service, receiver.url)
  await service.api.call('PATCH', `destinations/${id}`, { name: HOSTILE })
  await service.api.call('POST', `destinations/${id}/pause`, {})
  const { page, faults, go } = await openSignedIn(service)
  await go('')
  const items = problemsOf(page).getByRole('listitem')
  const paused = items.filter({ hasText: 'is paused. Paused manually.' })
  await paused.getByText('Deliveries are held, and do not expire, until you resume it.').waitFor()
  const failed = items.filter({ hasText: '1 delivery failed with 404.' })
  await failed.getByText('Compare method, URL, static headers, auth, secrets and body').waitFor()
  for (const each of [paused, failed])
    await each.getByText('<img src=x onerror=alert(1)>⟨U+202E⟩').waitFor()
  expect(await page.getByText(ALL_CLEAR).count()).toBe(0)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await expectAccessible(page)
  }
  await page.setViewportSize(NARROW)
  await expectFits(page)
  await expectAccessible(page)
  await failed.getByRole('link', { name: 'View' }).click()
  await page.waitForURL(`**/console/failures?destination=${id}`)
  await page.getByText('404 http_4xx').waitFor()
  await page.goBack()
  await paused.getByRole('link', { name: 'View' }).click()
  await page.waitForURL(`**/console/destinations/${id}`)
  await page.getByRole('button', { name: 'Resume' }).waitFor()
  expect(await page.locator('img[src="x"]').count()).toBe(0)
  expect(faults).toEqual([])
})

test('a disabled destination with a backlog is a problem, with a link to its settings', async () => {
  await using service = await startService()
  await using receiver = await openReceiver({ respond: 500 })
  const id = await service.createDestination({ urls: [receiver.url] })
  await service.track('m1')
  await receiver.waitFor(1)
  await service.api.call('PATCH', `destinations/${id}`, { enabled: false })
  const { page, go } = await openSignedIn(service)
  await go('')
  const disabled = problemsOf(page)
    .getByRole('listitem')
    .filter({ hasText: 'is disabled with 1 undelivered event' })
  await disabled.getByText('enable the destination in its settings').waitFor()
  await page.getByRole('cell', { name: /^1 pending, oldest/ }).waitFor()
  await disabled.getByRole('link', { name: 'View' }).click()
  await page.waitForURL(`**/console/destinations/${id}?tab=settings`)
  await page.getByLabel(/^Enabled:/).waitFor()
})

test('without problems, the page reports none, and shows the figures, the plot and the destinations', async () => {
  await using service = await startService()
  await using receiver = await openReceiver()
  const id = await deliverTo(service, receiver.url)
  const { page, faults, go } = await openSignedIn(service)
  await go('')
  await problemsOf(page).getByText(ALL_CLEAR, { exact: true }).waitFor()
  for (const label of ['Received', 'Delivered', 'Pending', 'Delivery latency, p95'])
    await page.getByRole('term').filter({ hasText: label }).first().waitFor()
  await page.getByText('100%').first().waitFor()
  await page.getByRole('figure', { name: /^Last hour: 1 delivered/ }).waitFor()
  const row = page.getByRole('region', { name: 'Destination health' }).getByRole('row').nth(1)
  await row.getByText('working').waitFor()
  await row.getByRole('cell', { name: /^about \d/ }).waitFor()
  await page.getByText(/^none pending; average: (no change|no previous data)$/).waitFor()
  await page.getByLabel('Period').selectOption('24h')
  await page.getByRole('figure', { name: /^Last 24 hours: 1 delivered/ }).waitFor()
  await expectAccessible(page)
  await page.setViewportSize(NARROW)
  await expectFits(page)
  await row.getByRole('link').click()
  await page.waitForURL(`**/console/destinations/${id}`)
  expect(faults).toEqual([])
})

const REQUESTS = {
  'the service': '**/api/v1/system',
  'the destinations': '**/api/v1/destinations?*',
  'the failures': '**/api/v1/deliveries/failures',
} as const

test.for(Object.entries(REQUESTS))(
  'the page does not report that all is well before it has loaded %s, or if that fails',
  async ([, path]) => {
    await using service = await startService()
    await service.track('m1')
    const { page, go } = await openSignedIn(service)
    const known = Promise.withResolvers<void>()
    await page.route(path, async (route) => {
      await known.promise
      const problem = { code: 'bad_request', detail: 'It cannot be read.' }
      await route.fulfill({ status: 400, json: problem })
    })
    const others = Object.values(REQUESTS).filter((each) => each !== path)
    const answered = Promise.all(others.map((each) => page.waitForResponse(each)))
    await go('')
    await answered
    // A few turns of the event loop, so that the page has rendered.
    for (let turn = 0; turn < 5; turn++) await page.evaluate('new Promise((go) => setTimeout(go))')
    const panel = problemsOf(page)
    await panel.getByText('Loading').waitFor({ state: 'attached' })
    expect(await panel.getByText(ALL_CLEAR).count()).toBe(0)
    known.resolve()
    await panel.getByRole('alert').getByText('It cannot be read.').waitFor()
    expect(await panel.getByText(ALL_CLEAR).count()).toBe(0)
    await page.unroute(path)
    await panel.getByRole('button', { name: 'Try again' }).click()
    await panel.getByText(ALL_CLEAR).waitFor()
  },
)
