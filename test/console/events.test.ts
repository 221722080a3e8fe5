import { newId } from '@hookline/protocol'
import { expect, test } from 'vitest'
import { exchange } from '@hookline/testing/network/http-exchange'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { startService, type RunningService } from '@hookline/testing/service/running-service'
import { expectAccessible } from './harness/accessible.ts'
import { openSignedIn, useChromium } from './harness/console.ts'
import { expectNoHorizontalScroll, NARROW } from './harness/narrow.ts'

useChromium()

const HOSTILE = '<img src=x onerror=alert(1)> \u202Eevil \u001B[31m javascript:alert(1) '

async function namedDestination(
  service: RunningService,
  name: string,
  url: string,
  more: object = {},
): Promise<string> {
  const id = await service.createDestination({ urls: [url], ...more })
  await service.api.call('PATCH', `destinations/${id}`, { name })
  return id
}

test('an event can be found by its userId, and its trace opens from the keyboard and explains the failure', async () => {
  await using receiver = await openReceiver({
    respond: { status: 422, body: 'unknown user', headers: { 'content-type': 'text/plain' } },
  })
  await using service = await startService()
  await namedDestination(service, 'Billing', receiver.url)
  await service.track('m1', { userId: 'u1' })
  await service.track('m2', { userId: 'u2', event: 'Signed Up' })
  await service.endOf('m2')
  const { page, pageErrors } = await openSignedIn(service)
  await page.getByRole('link', { name: 'Events' }).click()
  await page.getByRole('link', { name: 'Order Completed' }).waitFor()

  await page.getByText('More filters').click()
  await page.getByLabel('userId', { exact: true }).fill('u2')
  await page.keyboard.press('Enter')
  await page.waitForURL(/userId=u2/)
  await page.getByRole('link', { name: 'Order Completed' }).waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Signed Up' }).waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')

  await page.getByRole('heading', { level: 1, name: 'Signed Up' }).waitFor()
  await page.getByText('Delivery failed.').waitFor()
  // The receiver's response comes before the general remedy.
  await page
    .locator('p', { hasText: 'Response unknown user' })
    .locator('+ p', { hasText: 'http_4xx: The receiver refused the content' })
    .waitFor()
  await page.getByRole('tab', { name: 'Request and response' }).click()
  await page.getByLabel('the beginning of the response body').getByText('unknown user').waitFor()
  await page.getByLabel('the request body').getByText('"Signed Up"').waitFor()
  await page.getByLabel('the curl command').getByText('curl --include').waitFor()
  await expectAccessible(page)
  expect(pageErrors).toEqual([])
})

test('a failure without a stored response links to similar ones', async () => {
  await using receiver = await openReceiver({ respond: { status: 401, body: 'key revoked' } })
  await using service = await startService()
  await namedDestination(service, 'ERP', receiver.url)
  // For each cause, the first 40 responses an hour are stored, then at most one a minute.
  for (let index = 0; index < 41; index += 1) await service.track(`m${index}`)
  const traces: Awaited<ReturnType<typeof service.endOf>>[] = []
  for (let index = 0; index < 41; index += 1) traces.push(await service.endOf(`m${index}`))
  const { id } = traces.find(({ deliveries }) => !JSON.stringify(deliveries).includes('revoked'))!
  const { page, go, pageErrors } = await openSignedIn(service)
  await go(`events/${id}`)
  const card = page.getByText(
    /^Headers and body not stored\. For each webhook and cause.* for a similar one\.$/,
  )
  await card.getByRole('link', { name: 'Failures' }).click()
  await page.getByText('key revoked').waitFor()
  expect(pageErrors).toEqual([])
})

test('an event links to its distributed trace in another tool', async () => {
  await using service = await startService({
    settings: { traceUrl: 'https://grafana.example/t/{traceId}' },
  })
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
  const call = { writeKey: service.source.writeKey, messageId: 'm1', userId: 'u1', event: 'Order' }
  await exchange(`${service.url}/v1/track`, {
    headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` },
    body: JSON.stringify(call),
  })
  const { id } = await service.endOf('m1')
  const { page, go, pageErrors } = await openSignedIn(service)
  await go(`events/${id}`)
  const link = page.getByRole('link', { name: 'Open distributed trace' })
  expect(await link.getAttribute('href')).toBe(`https://grafana.example/t/${traceId}`)
  await expectAccessible(page)
  expect(pageErrors).toEqual([])
})

test('the list shows the outcome of each event, and can be filtered by it', async () => {
  await using receiver = await openReceiver({
    respond: (request) => (request.body.includes('Refund') ? 422 : 200),
  })
  await using service = await startService()
  await service.createDestination({ urls: [receiver.url] })
  await service.createDestination({ urls: [receiver.url], enabled: false })
  await service.track('m1')
  await service.track('m2', { event: 'Refund' })
  for (const id of ['m1', 'm2']) await service.endOf(id)
  const { page, go, pageErrors } = await openSignedIn(service)
  await go('events')
  const rows = page.getByRole('region', { name: 'Events' }).locator('tbody tr')
  await rows.nth(1).waitFor()
  expect(await rows.nth(0).innerText()).toMatch(/Refund\s+1 failed\s+1 declined\s/)
  expect(await rows.nth(1).innerText()).toMatch(/Order Completed\s+1 declined\s+1 delivered\s/)
  await page.getByText('Outcomes as of').waitFor()
  await page.getByLabel('Outcome').selectOption('failed')
  await page.waitForURL(/outcome=failed/)
  // The page has no rows while it reloads.
  await expect.poll(() => rows.allInnerTexts()).toEqual([expect.stringContaining('Refund')])
  await page.getByLabel('Outcome').selectOption('held')
  await page.getByText('No matching events').waitFor()
  await page.getByText('outcome is held').waitFor()
  await expectAccessible(page)
  expect(pageErrors).toEqual([])
})

test('the page is updated when the replay of a failed delivery succeeds', async () => {
  await using receiver = await openReceiver({ respond: 400 })
  await using service = await startService()
  await using working = await openReceiver()
  await namedDestination(service, 'Warehouse', working.url)
  await namedDestination(service, 'CRM', receiver.url)
  await service.track('m1')
  const { id } = await service.endOf('m1')
  const { page, go } = await openSignedIn(service)
  await go(`events/${id}`)
  await page.getByText('Delivered to 1 of 2 destinations: 1 failed.').waitFor()
  receiver.respond = () => 200
  await page.keyboard.press('r')
  // The default must not send the event to the destination that accepted it.
  const dialog = page.getByRole('dialog')
  expect(await dialog.getByRole('radio', { name: /^CRM \(rejected\)/ }).isChecked()).toBe(true)
  await dialog.getByRole('button', { name: 'Replay' }).click()
  await page.getByText('Delivered to both destinations.').waitFor()
  expect(working.requests).toHaveLength(1)
  await page.getByRole('cell', { name: '#1 of manual retry', exact: true }).waitFor()
  // The state of the delivery is shown once.
  const card = page.getByRole('region', { name: 'CRM' })
  expect(await card.getByText(/delivered/i).count()).toBe(1)
  await card.getByRole('cell', { name: '#1', exact: true }).waitFor()
  await page.getByRole('tab', { name: 'Request and response' }).click()
  await page.getByRole('heading', { name: 'Response 400' }).waitFor()
})

test('an event that a disabled destination declined is explained, and can be replayed', async () => {
  await using receiver = await openReceiver()
  await using service = await startService()
  const id = await namedDestination(service, 'Old tool', receiver.url, { enabled: false })
  await service.track('m1')
  const trace = await service.endOf('m1')
  const { page, go } = await openSignedIn(service)
  await go(`events/${trace.id}`)
  await page.getByText('The destination was disabled when the event arrived.').waitFor()
  await service.api.call('PATCH', `destinations/${id}`, { enabled: true })
  await page.getByRole('button', { name: 'Replay' }).click()
  await page.getByText('A replay sends the event if the destination is enabled').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).click()
  await page.getByText('Delivered to its destination.').waitFor()
  expect(receiver.requests).toHaveLength(1)
})

test('a pending delivery shows why it is waiting and until when', async () => {
  await using receiver = await openReceiver({ respond: [500, 200] })
  await using service = await startService()
  const id = await namedDestination(service, 'Paused', receiver.url)
  await service.api.call('POST', `destinations/${id}/pause`, {})
  await service.track('m1')
  const { page, go } = await openSignedIn(service)
  const held = await service.eventually(async () => {
    const trace = await service.trace('m1')
    expect(trace.deliveries[0]?.state).toBe('held')
    return trace
  })
  await go(`events/${held.id}`)
  await page.getByText('The destination is paused. Resume the destination').waitFor()
  await page.getByText('No attempt is scheduled until the cause is fixed.').waitFor()
  await service.api.call('POST', `destinations/${id}/resume`, {})
  await page.getByText('Next attempt').first().waitFor()
  await service.api.call('DELETE', `destinations/${id}`)
})

test('an event without a destination explains why nothing was sent', async () => {
  await using service = await startService()
  await service.track('m1')
  const { id } = await service.endOf('m1')
  const { page, go } = await openSignedIn(service)
  await go(`events/${id}`)
  await page.getByText('The source had no destination when the event arrived.').waitFor()
  await page.getByRole('link', { name: 'Open destinations' }).waitFor()
})

test('an empty list shows the active filters, explains why an event may be missing, and can clear the filters', async () => {
  await using service = await startService()
  await service.track('m1')
  await service.endOf('m1')
  const { page, go } = await openSignedIn(service)
  await go('events?messageId=m9')
  await page.getByText('messageId is m9').waitFor()
  await page.getByText('No call with these ids reached this service').waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Clear filters' }).last().click()
  await page.getByRole('link', { name: 'Order Completed' }).waitFor()
})

test('an empty list mentions refused calls, with a link to them', async () => {
  await using service = await startService()
  const other = { ...service.source, writeKey: 'wk_of_nobody' }
  expect((await service.send('/v1/track', {}, other)).status).toBe(401)
  const { page, go } = await openSignedIn(service)
  await service.eventually(async () => {
    await go('events?messageId=m9')
    await page.getByText('1 call. Last:').waitFor({ timeout: 2_000 })
  })
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Open rejected calls' }).click()
  await page.getByRole('cell', { name: 'unknown_write_key' }).waitFor()
})

test('older events are loaded page by page, and a failed page can be requested again', async () => {
  await using service = await startService()
  const batch = Array.from({ length: 120 }, (_, index) => ({
    type: 'track',
    event: `Event ${index}`,
    userId: 'u1',
    messageId: `m${index}`,
  }))
  await service.send('/v1/batch', { batch })
  await service.endOf('m119')
  const { page, go } = await openSignedIn(service)
  await go('events')
  const rows = page.getByRole('region', { name: 'Events' }).getByRole('link', { name: /^Event/ })
  await page.getByText('50 events.').waitFor()
  await page.route(/\/events\?.*cursor=/, (route) => route.fulfill({ status: 429 }), { times: 1 })
  await page.getByRole('button', { name: 'Load older' }).click()
  const footer = page.locator('footer').filter({ hasText: '50 events.' })
  await footer.getByRole('alert').waitFor()
  await page.getByRole('button', { name: 'Load older' }).click()
  await page.getByText('100 events.').waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
  await page.getByRole('button', { name: 'Load older' }).click()
  await page.getByText('All 120 events.').waitFor()
  expect(await rows.count()).toBe(120)
})

test('a custom time range can be selected, and an invalid one in the URL shows an error next to its field', async () => {
  await using service = await startService()
  await service.track('m1')
  await service.endOf('m1')
  const { page, go } = await openSignedIn(service)
  await go('events')
  await page.getByLabel('Time', { exact: true }).selectOption('custom')
  await page.getByLabel('To', { exact: true }).fill('2020-01-01T00:00:00')
  await page.keyboard.press('Enter')
  await page.waitForURL(/to=2020-01-01T00%3A00%3A00.000Z/)
  await page.getByRole('heading', { name: 'No matching events' }).waitFor()
  await go('events?range=custom&from=yesterday')
  await page.getByText('from is not a valid time.').waitFor()
})

test('a delivery id opens the trace of its event', async () => {
  await using receiver = await openReceiver()
  await using service = await startService()
  await service.createDestination({ urls: [receiver.url] })
  await service.track('m1')
  const trace = await service.endOf('m1')
  const { page, go } = await openSignedIn(service)
  await go(`events?delivery=${trace.deliveries[0]!.id}`)
  await page.waitForURL(`**/events/${trace.id}`)
  await go('events?delivery=msg_nothing')
  await page.getByRole('heading', { name: 'Delivery not found' }).waitFor()
})

test('hostile values are shown as text in every part of the list and the trace, in both themes and at 380 px', async () => {
  await using receiver = await openReceiver({ respond: { status: 500, body: HOSTILE } })
  await using service = await startService()
  await service.createDestination({ urls: [receiver.url] })
  await service.track('m1', {
    event: HOSTILE + 'x'.repeat(12_000),
    userId: HOSTILE.replace('\u001B', '') + 'u'.repeat(6_000),
    properties: { [HOSTILE]: HOSTILE },
    context: { library: { name: HOSTILE, version: HOSTILE }, ip: HOSTILE },
  })
  const { id } = await service.eventually(async () => {
    const trace = await service.trace('m1')
    expect(trace.deliveries[0]?.attempts.length).toBeGreaterThan(0)
    return trace
  })
  const sizes = [
    { viewport: NARROW, colorScheme: 'dark' },
    { viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
  ] as const
  for (const look of sizes) {
    const { page, go, pageErrors } = await openSignedIn(service, look)
    for (const path of [
      'events',
      `events/${id}`,
      `events/${id}?tab=event`,
      `events/${id}?tab=event&form=raw`,
      `events/${id}?tab=exchange`,
    ]) {
      await go(path)
      await page.getByText('<img src=x').first().waitFor()
      await expectNoHorizontalScroll(page)
      // Only colours differ between the themes.
      if (look.colorScheme === 'dark' || !path.includes('?')) await expectAccessible(page)
      expect(await page.locator('main img').count()).toBe(0)
    }
    expect(pageErrors).toEqual([])
  }
  await service.api.call(
    'DELETE',
    `destinations/${(await service.trace('m1')).decisions[0]!.destinationId}`,
  )
})

test('the parts of a long event are folded, and can be unfolded with the keyboard', async () => {
  await using service = await startService()
  const items = Array.from({ length: 30 }, (_, n) => ({ sku: `sku-${n}`, price: n, tags: ['new'] }))
  await service.track('m1', { properties: { items, coupon: 'SPRING' } })
  const { id } = await service.endOf('m1')
  const { page, go } = await openSignedIn(service)
  await go(`events/${id}?tab=event`)
  const event = page.getByLabel('the event', { exact: true })
  await event.getByText('"coupon"').waitFor()
  await event.getByText('30 values').waitFor()
  expect(await event.getByText('"sku-0"').count()).toBe(0)
  await event.locator('summary', { hasText: '"items"' }).focus()
  await page.keyboard.press('Enter')
  await event.getByText('3 fields').first().click()
  await event.getByText('"sku-0"').waitFor()
  await expectAccessible(page)
})

test('a viewer sees the trace, but neither replay nor signatures', async () => {
  await using receiver = await openReceiver({ respond: 400 })
  await using service = await startService()
  await service.createDestination({ urls: [receiver.url] })
  await service.track('m1')
  const { id } = await service.endOf('m1')
  const { page, go, pageErrors } = await openSignedIn(service, { role: 'viewer' })
  await go(`events/${id}?tab=exchange`)
  await page.getByText('Only editors and admins can see the request').waitFor()
  expect(await page.getByRole('button', { name: 'Replay' }).count()).toBe(0)
  expect(pageErrors).toEqual([])
})

test('a missing event is explained: incomplete id, removed by retention, or unknown', async () => {
  await using service = await startService()
  const { page, go } = await openSignedIn(service)
  await go('events/evt_nothing')
  await page.getByRole('heading', { name: 'Event not found' }).waitFor()
  await page.getByText('evt_nothing is not a complete event ID').waitFor()
  await expectAccessible(page)
  await go(`events/${newId('evt', Date.UTC(2020, 0, 2))}`)
  await page.getByText('The event is older than the retention period').waitFor()
  await page.getByText('It was received on 2020-01-02').waitFor()
  await page.getByText(/^.*Send it again with a new messageId\./).waitFor()
  await expectAccessible(page)
  await go(`events/${newId('evt', Date.now())}`)
  await page.getByText('Check that the ID is from this service.').waitFor()
  const causes = page.getByRole('region', { name: 'Possible reasons' }).getByRole('listitem')
  expect(await causes.count()).toBe(1)
})
