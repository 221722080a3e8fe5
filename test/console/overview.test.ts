import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { type RunningService, startService } from '@hookline/testing/service/running-service'
import { expectAccessible } from './harness/accessible.ts'
import { openSignedIn, useChromium } from './harness/console.ts'
import { expectNoHorizontalScroll, NARROW } from './harness/narrow.ts'

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

test('problems are shown worst first, one for each destination, with remedies and a link', async () => {
  await using service = await startService()
  await using receiver = await openReceiver({ respond: { status: 404, body: 'no such hook' } })
  const paused = await service.createDestination({ urls: [receiver.url] })
  await service.api.call('PATCH', `destinations/${paused}`, { name: 'Old shop' })
  await service.api.call('POST', `destinations/${paused}/pause`, {})
  const failing = await deliverTo(service, receiver.url)
  await service.api.call('PATCH', `destinations/${failing}`, { name: HOSTILE })
  const refused = await fetch(`${service.url}/v1/track`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from('unknown:').toString('base64')}` },
    body: '{}',
  })
  expect(refused.status).toBe(401)
  const { page, pageErrors, go } = await openSignedIn(service)
  await go('')
  const items = problemsOf(page).getByRole('listitem')
  await items.nth(2).waitFor()
  expect(await items.count()).toBe(3)
  await items.nth(1).getByText('use the write key of an existing source').waitFor()
  expect(await items.nth(1).getByText('Not delivered').count()).toBe(0)
  // A failure is described once, with the receiver's response and one remedy.
  const worst = items.nth(0)
  await worst.getByText('Not delivered').waitFor()
  await worst
    .getByText(
      '1 delivery was rejected in the last hour. The receiver responded with 404 (Not Found).',
    )
    .waitFor()
  await worst.getByText('Response no such hook').waitFor()
  await worst.getByText('No attempt succeeded in the last hour (1 failed).').waitFor()
  const remedy = 'Check the path of the URL, then retry the rejected deliveries.'
  expect(await worst.getByText(remedy).count()).toBe(1)
  expect(await worst.getByText('<img src=x onerror=alert(1)>').count()).toBe(2)
  await items.nth(2).getByText('Old shop: Paused by an operator.').waitFor()
  expect(await page.getByText(ALL_CLEAR).count()).toBe(0)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await expectAccessible(page)
  }
  await page.setViewportSize(NARROW)
  await expectNoHorizontalScroll(page)
  await expectAccessible(page)
  await worst.getByRole('link', { name: 'View' }).click()
  await page.waitForURL(`**/console/failures?destination=${failing}`)
  await page.getByText('404 http_4xx').waitFor()
  await page.goBack()
  await items.nth(2).getByRole('link', { name: 'View' }).click()
  await page.waitForURL(`**/console/destinations/${paused}`)
  await page.getByRole('button', { name: 'Resume' }).waitFor()
  expect(await page.locator('img[src="x"]').count()).toBe(0)
  expect(pageErrors).toEqual([])
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
    .filter({ hasText: 'The destination is disabled and has 1 undelivered event' })
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
  const { page, pageErrors, go } = await openSignedIn(service)
  await go('')
  await problemsOf(page).getByText(ALL_CLEAR, { exact: true }).waitFor()
  for (const label of ['Received', 'Delivered', 'Pending', 'Delivery latency, p95'])
    await page.getByRole('term').filter({ hasText: label }).first().waitFor()
  await page.getByText('100%').first().waitFor()
  await page.getByText(/^(0\.\d|1) \/ min on average over the last 1–2 min; /).waitFor()
  const plot = page.getByRole('figure', { name: 'Last hour: 1 delivered, 0 failed, 0 declined' })
  await plot.getByText('Dashed: incomplete').waitFor()
  // The plot counts deliveries, and a retry is an attempt.
  expect(await plot.getByText('Retried').count()).toBe(0)
  const row = page.getByRole('region', { name: 'Destination health' }).getByRole('row').nth(1)
  await row.getByText('working').waitFor()
  expect(await row.getByRole('img').locator('polyline[stroke-dasharray]').count()).toBe(1)
  await row.getByRole('cell', { name: /^about \d/ }).waitFor()
  await page.getByText(/^none pending(; average [\d.,]+(, previously [\d.,]+)?)?$/).waitFor()
  await page.getByLabel('Period').selectOption('24h')
  await page.getByRole('figure', { name: /^Last 24 hours: 1 delivered/ }).waitFor()
  await expectAccessible(page)
  await page.setViewportSize(NARROW)
  await expectNoHorizontalScroll(page)
  await row.getByRole('link').click()
  await page.waitForURL(`**/console/destinations/${id}`)
  expect(pageErrors).toEqual([])
})

test('the plot follows the colour scheme of the operating system', async () => {
  await using service = await startService()
  await service.track('m1')
  const { page, go } = await openSignedIn(service, { colorScheme: 'light' })
  await go('')
  await page.locator('.u-plot canvas').first().waitFor()
  const drawn = () => page.evaluate<string>("document.querySelector('.u-plot canvas').toDataURL()")
  // New data would redraw it.
  await page.route('**/api/v1/statistics*', () => undefined)
  const light = await drawn()
  await page.emulateMedia({ colorScheme: 'dark' })
  await expect.poll(drawn).not.toBe(light)
  const dark = await drawn()
  await page.emulateMedia({ colorScheme: 'light' })
  await expect.poll(drawn).not.toBe(dark)
})

test('“No problems” appears only after the problems have loaded', async () => {
  await using service = await startService()
  await service.track('m1')
  const { page, go } = await openSignedIn(service)
  const path = '**/api/v1/problems'
  const known = Promise.withResolvers<void>()
  await page.route(path, async (route) => {
    await known.promise
    await route.fulfill({ status: 400, json: { code: 'bad_request', detail: 'Not readable.' } })
  })
  const others = page.waitForResponse('**/api/v1/system')
  await go('')
  await others
  // A few turns of the event loop, so that the page has rendered.
  for (let turn = 0; turn < 5; turn++) await page.evaluate('new Promise((go) => setTimeout(go))')
  const panel = problemsOf(page)
  await panel.getByText('Loading').waitFor({ state: 'attached' })
  expect(await panel.getByText(ALL_CLEAR).count()).toBe(0)
  known.resolve()
  await panel.getByRole('alert').getByText('Not readable.').waitFor()
  expect(await panel.getByText(ALL_CLEAR).count()).toBe(0)
  await page.unroute(path)
  await panel.getByRole('button', { name: 'Try again' }).click()
  await panel.getByText(ALL_CLEAR).waitFor()
})
