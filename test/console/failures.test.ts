import { expect, test } from 'vitest'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { startService } from '@hookline/testing/service/running-service'
import { expectAccessible } from './harness/accessible.ts'
import { openSignedIn, useChromium } from './harness/console.ts'

useChromium()

test('the cause of a failing webhook is shown, its URL fixed, and all failures retried', async () => {
  await using service = await startService()
  await using receiver = await openReceiver({
    respond: ({ path }) => (path === '/hook' ? 200 : { status: 404, body: 'no such hook' }),
  })
  const wrong = new URL('/wrong', receiver.url).href
  const id = await service.createDestination({ urls: [wrong], secret: 'a secret of the receiver' })
  for (const messageId of ['m1', 'm2', 'm3']) await service.track(messageId)
  for (const messageId of ['m1', 'm2', 'm3']) await service.endOf(messageId)

  const { page, pageErrors, go } = await openSignedIn(service)
  await go('failures')
  const group = page.getByRole('article')
  await group.getByText('404 http_4xx').waitFor()
  await group.getByText('3 deliveries').waitFor()
  await group.getByText('Check the path of the URL').waitFor()
  await group.getByText('no such hook').waitFor()
  await expectAccessible(page)

  await group.getByRole('link', { name: 'Settings' }).click()
  const url = page.getByRole('textbox', { name: 'URL' })
  expect(await url.inputValue()).toBe(wrong)
  await url.fill(receiver.url)
  await page.getByRole('button', { name: 'Save' }).first().click()
  await page.getByText('Saved. The changes apply from the next attempt.').waitFor()

  await page.getByRole('link', { name: 'Failures' }).click()
  await group.getByRole('button', { name: 'Retry' }).click()
  const dialog = page.getByRole('dialog')
  await dialog
    .getByRole('radio', { name: /^All rejected or expired deliveries to .+: 3 deliveries/ })
    .check()
  await dialog.getByText('3 deliveries will be retried.').waitFor()
  expect(await dialog.getByRole('radio', { name: '404 http_4xx: 3 deliveries' }).count()).toBe(1)
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Retry' }).click()
  await page.getByRole('heading', { name: 'No failures' }).waitFor()
  await page.getByText('3 requeued, 3 delivered').waitFor()
  await expectAccessible(page)
  expect(receiver.requests.filter(({ path }) => path === '/hook')).toHaveLength(3)
  expect(pageErrors).toEqual([])

  await go(`destinations/${id}?tab=deliveries`)
  await page.getByText('All 3 deliveries.').waitFor()
  const rows = page.getByRole('row').filter({ hasText: /^Order Completed\s*delivered\s*u1/ })
  expect(await rows.count()).toBe(3)
})

test('a group of failures can be retried alone, and the drawer shows each attempt', async () => {
  await using service = await startService()
  await using receiver = await openReceiver({ respond: [{ status: 400, body: 'not yet' }, 200] })
  const id = await service.createDestination({ urls: [receiver.url] })
  await service.track('m1')
  await service.endOf('m1')
  const { page, go } = await openSignedIn(service)
  await go('failures')
  await page.getByRole('button', { name: 'Retry' }).click()
  const dialog = page.getByRole('dialog')
  expect(
    await dialog.getByRole('radio', { name: 'Failed with 400 http_4xx: 1 delivery' }).isChecked(),
  ).toBe(true)
  await dialog.getByRole('button', { name: 'Retry' }).click()
  await page.getByText('Retrying 1 delivery.').waitFor()
  await page.getByRole('heading', { name: 'No failures' }).waitFor()

  await go(`destinations/${id}?tab=deliveries`)
  await page.getByRole('region', { name: 'Deliveries' }).waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  const drawer = page.getByRole('dialog', { name: 'Delivery' })
  await drawer.getByRole('group').nth(1).waitFor()
  expect(page.url()).toContain('delivery=msg_')
  await expectAccessible(page)
  await drawer.getByRole('group').nth(1).locator('summary').click()
  await drawer.getByText('not yet').waitFor()
  await page.keyboard.press('Escape')
  await drawer.waitFor({ state: 'detached' })
  expect(page.url()).not.toContain('delivery=')
})

test('all deliveries that failed for one cause are retried, on all pages of the list', async () => {
  await using service = await startService()
  let status = 400
  await using receiver = await openReceiver({ respond: () => status })
  await service.createDestination({ urls: [receiver.url] })
  const batch = Array.from({ length: 260 }, () => ({ type: 'track', event: 'Paid', userId: 'u1' }))
  for (let sent = 0; sent < 2; sent += 1) await service.send('/v1/batch', { batch })
  await receiver.waitFor(520)
  const { page, go } = await openSignedIn(service)
  await go('failures')
  await page.getByText('520 deliveries').waitFor()
  status = 200
  await page.getByRole('button', { name: 'Retry' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('radio', { name: 'Failed with 400 http_4xx: 520 deliveries' }).check()
  await dialog.getByRole('button', { name: 'Retry' }).click()
  await page.getByText('Retrying 520 deliveries.').waitFor()
  await page.getByRole('heading', { name: 'No failures' }).waitFor()
})

test('a retry of a group waits when its requests are rate-limited, and stops at an error', async () => {
  await using service = await startService()
  await using receiver = await openReceiver({ respond: 400 })
  await service.createDestination({ urls: [receiver.url] })
  const batch = Array.from({ length: 40 }, () => ({ type: 'track', event: 'Paid', userId: 'u1' }))
  await service.send('/v1/batch', { batch })
  await receiver.waitFor(40)
  const { page, go } = await openSignedIn(service)
  await go('failures')
  const group = page.getByRole('article').filter({ hasText: '40 deliveries' })
  await group.getByRole('button', { name: 'Retry' }).click()
  const path = '**/api/v1/deliveries/*/retry'
  let requests = 0
  page.on('request', (request) => {
    if (request.url().endsWith('/retry')) requests += 1
  })
  // The first one fails while the others are in progress.
  await page.route(path, () => undefined)
  const failed = { status: 500, json: { detail: 'Not possible now.' } }
  await page.route(path, (route) => route.fulfill(failed), { times: 1 })
  const dialog = page.getByRole('dialog')
  const retry = dialog.getByRole('button', { name: 'Retry' })
  await retry.click()
  await dialog.getByRole('alert').getByText('Not possible now.').waitFor()
  expect(requests).toBe(4)

  await page.unroute(path)
  const headers = { 'retry-after': '1' }
  await page.route(path, (route) => route.fulfill({ status: 429, headers, json: {} }), { times: 6 })
  await retry.click()
  await dialog.getByText(/^Retried \d+ of 40 deliveries so far…$/).waitFor()
  await page.getByText('Retrying 40 deliveries.').waitFor()
  expect(requests).toBe(4 + 6 + 40)
})

test('a group whose older failures were not counted is not preselected for a retry', async () => {
  await using service = await startService()
  await using receiver = await openReceiver({ respond: 400 })
  await service.createDestination({ urls: [receiver.url] })
  await service.track('m1')
  await service.endOf('m1')
  const { page, go } = await openSignedIn(service)
  const { data } = await service.api.call<{ data: object[] }>('GET', 'deliveries/failures')
  const incomplete = data.map((each) => ({ ...each, isComplete: false }))
  await page.route('**/api/v1/deliveries/failures', (route) =>
    route.fulfill({ json: { data: incomplete, isComplete: false } }),
  )
  await go('failures')
  await page.getByRole('button', { name: 'Retry' }).click()
  await page.getByRole('radio', { name: 'Failed with 400 http_4xx: 1+ deliveries' }).waitFor()
  await page.getByRole('radio', { name: /^All rejected or expired/, checked: true }).waitFor()
})

test('failures at a deleted destination are not listed, and the refusal of a retry is shown', async () => {
  await using service = await startService()
  await using receiver = await openReceiver({ respond: 400 })
  const id = await service.createDestination({ urls: [receiver.url] })
  await service.track('m1')
  await service.endOf('m1')
  const { page, go } = await openSignedIn(service)
  await go('failures')
  await page.getByRole('button', { name: 'Retry' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('radio', { name: /: 1 delivery/, checked: true }).waitFor()
  // The page still shows the group.
  const path = '**/api/v1/deliveries/failures'
  const listed = await page.evaluate<object>(
    `fetch('/api/v1/deliveries/failures').then((response) => response.json())`,
  )
  await page.route(path, (route) => route.fulfill({ json: listed }))
  await service.api.call('DELETE', `destinations/${id}`)
  await dialog.getByRole('button', { name: 'Retry' }).click()
  await dialog.getByRole('alert').getByText('The destination was deleted.').waitFor()
  expect(await page.getByText(/^Retrying/).count()).toBe(0)
  await page.unroute(path)
  await page.getByRole('heading', { name: 'No failures' }).waitFor()
})

test('the suggested start of a retry is the time of the oldest event, so that none is left out', async () => {
  await using service = await startService()
  await using receiver = await openReceiver({ respond: [400, 200] })
  const id = await service.createDestination({ urls: [receiver.url] })
  await service.track('m1')
  const { receivedAt } = await service.endOf('m1')
  const { page, go, pageErrors } = await openSignedIn(service)
  await go(`destinations/${id}?tab=deliveries`)
  const received = page.getByRole('row').nth(1).getByRole('time')
  expect(await received.getAttribute('datetime')).toBe(receivedAt)
  await go('failures')
  await page.getByRole('button', { name: 'Retry' }).click()
  const dialog = page.getByRole('dialog')
  await dialog
    .getByRole('radio', { name: /^Only deliveries of events received since a given time/ })
    .check()
  await dialog.getByText('1 delivery will be retried.').waitFor()
  await dialog.getByRole('button', { name: 'Retry' }).click()
  await page.getByRole('heading', { name: 'No failures' }).waitFor()
  await page.getByText('1 requeued, 1 delivered').waitFor()
  expect(pageErrors).toEqual([])
})

test('deliveries that expired before an attempt are shown, found and retried', async () => {
  await using service = await startService({
    settings: { retryScheduleMs: '100', retryWindowMs: '1500' },
  })
  let isDown = true
  await using receiver = await openReceiver({ respond: () => (isDown ? 503 : 200) })
  const id = await service.createDestination({ urls: [receiver.url] })
  const call = <T>(path: string): Promise<T> => service.api.call<T>('GET', path)
  for (let sent = 0; sent < 20; sent += 1) await service.track(`before-${sent}`)
  await service.eventually(async () => {
    const { health } = await call<{ health: object }>(`destinations/${id}`)
    expect(health).toMatchObject({ webhooks: [{ breaker: 'open' }] })
  })
  // More deliveries than the breaker can probe within the retry window.
  await Promise.all(Array.from({ length: 100 }, (_, sent) => service.track(`after-${sent}`)))
  await service.eventually(async () => {
    const { data } = await call<{ data: object[] }>('deliveries/failures')
    expect(data).toContainEqual(expect.objectContaining({ class: 'not_attempted' }))
    expect(await call('deliveries?waiting=true')).toMatchObject({ data: [] })
  })
  const { page, go } = await openSignedIn(service)
  await go('')
  await page.getByText(/\d+ deliveries expired and have not been replayed\.$/).waitFor()
  await go('failures')
  const group = page.getByRole('article').filter({ hasText: 'not_attempted' })
  await group.getByText("The destination's other failures show the cause").waitFor()
  await group.getByRole('link', { name: 'View deliveries' }).click()
  const row = page.getByRole('row').filter({ hasText: 'expired' }).first()
  await row.getByText('none', { exact: true }).waitFor()
  isDown = false
  await service.api.call('POST', `destinations/${id}/close-breaker`)
  await page.getByRole('link', { name: 'Failures' }).click()
  await group.getByRole('button', { name: 'Retry' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('radio', { name: /^Not attempted: / }).check()
  await dialog.getByRole('button', { name: 'Retry' }).click()
  await group.waitFor({ state: 'detached' })
})

test('a viewer sees failures and their causes, but no forbidden actions', async () => {
  await using service = await startService()
  await using receiver = await openReceiver({ respond: 403 })
  const id = await service.createDestination({ urls: [receiver.url] })
  await service.track('m1')
  await service.endOf('m1')
  const { page, go } = await openSignedIn(service, { role: 'viewer' })
  await go('failures')
  await page.getByText('403 http_4xx').waitFor()
  expect(await page.getByRole('button', { name: 'Retry' }).count()).toBe(0)
  for (const [tab, text] of [
    ['settings', 'Delivered when'],
    ['test', 'Sending a test requires the editor role'],
    ['replay', 'Recent replays'],
    ['audit', 'Only admins can see the audit log'],
    ['overview', 'Webhooks'],
  ] as const) {
    await go(`destinations/${id}?tab=${tab}`)
    await page.getByText(text).first().waitFor()
    const buttons = page.locator('main').getByRole('button')
    for (const words of await buttons.allTextContents())
      expect(words).not.toMatch(/pause|save|send|delete|rotate|close|start/i)
  }
})
