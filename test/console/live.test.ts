import { expect, test } from 'vitest'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { freePort } from '@hookline/testing/network/free-port'
import { startService } from '@hookline/testing/service/running-service'
import { expectAccessible } from './harness/accessible.ts'
import { openSignedIn, openTail, useChromium } from './harness/console.ts'
import { expectNoHorizontalScroll, NARROW } from './harness/narrow.ts'
import { Relay } from './harness/relay.ts'

useChromium()

test('an event appears with its outcome, and its trace opens next to the list', async () => {
  await using receiver = await openReceiver({ respond: [500, 200] })
  await using service = await startService()
  await service.createDestination({ urls: [receiver.url] })
  const { page, go, pageErrors } = await openSignedIn(service)
  await openTail(page, go)
  await service.track('m1')
  await page.getByRole('button', { name: /Order Completed.*retrying 500/ }).waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.waitForURL(/open=evt_/)
  const drawer = page.getByRole('region', { name: 'Event details' })
  await drawer.getByText('Not delivered yet; retrying.').waitFor()
  await expectAccessible(page)
  await drawer.getByText('Delivered to its destination.').waitFor()
  await page.keyboard.press('p')
  await page.getByRole('button', { name: /Order Completed.*delivered 200, retry 1, / }).waitFor()
  await page.getByRole('link', { name: 'View full trace' }).waitFor()
  await page.keyboard.press('Escape')
  await drawer.waitFor({ state: 'detached' })
  expect(page.url()).not.toContain('open=')
  expect(pageErrors).toEqual([])
})

test('pausing freezes the list and counts new events, and resuming shows them', async () => {
  await using service = await startService()
  const { page, go } = await openSignedIn(service)
  await openTail(page, go)
  await service.track('m1', { event: 'First' })
  await page.getByRole('button', { name: /First/ }).waitFor()
  await page.keyboard.press('p')
  for (const number of [2, 3, 4]) await service.track(`m${number}`, { event: 'Later' })
  await page.getByText('Paused: 3 new').waitFor()
  expect(await page.getByRole('button', { name: /Later/ }).count()).toBe(0)
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByRole('button', { name: /Later/ }).nth(2).waitFor()
})

test('filters are in the URL, and apply to current and new events', async () => {
  await using receiver = await openReceiver({ respond: 400 })
  await using service = await startService()
  await service.createDestination({ urls: [receiver.url] })
  const { page, go } = await openSignedIn(service)
  await openTail(page, go)
  await service.track('m1', { event: 'Order Completed', userId: 'u1' })
  await service.track('m2', { event: 'Signed Up', userId: 'u2' })
  await service.track('m2', { event: 'Signed Up', userId: 'u2' })
  await page.getByRole('button', { name: /duplicate/ }).waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('signed')
  await page.waitForURL(/text=signed/)
  await page.getByRole('button', { name: /Order Completed/ }).waitFor({ state: 'detached' })
  await page.getByLabel('Outcome').selectOption('duplicate')
  await page.getByText('1 event shown, 3 received').waitFor()
  await page.getByLabel('Outcome').selectOption('failed')
  await page.getByRole('button', { name: /Signed Up.*failed 400/ }).waitFor()
  await page.reload()
  await page.getByText('No matching events yet').waitFor()
  await service.track('m3', { event: 'Signed Up', userId: 'u3' })
  await service.track('m4', { event: 'Order Completed', userId: 'u3' })
  await page.getByText('1 event shown, 2 received').waitFor()
})

test('the page continues after a restart of the service, and reports missed messages', async () => {
  const port = await freePort()
  await using service = await startService({ settings: { port: String(port) } })
  const { page, go } = await openSignedIn(service)
  await openTail(page, go)
  await service.track('m1', { event: 'Before' })
  await page.getByRole('button', { name: /Before/ }).waitFor()
  await service.restart()
  await page.getByText('Messages missed').waitFor()
  await service.track('m2', { event: 'After' })
  await page.getByRole('button', { name: /After/ }).waitFor()
  await page.getByRole('link', { name: 'View events from this period' }).click()
  await page.getByLabel('From', { exact: true }).waitFor()
})

test('a lost connection is resumed, and every event in between is shown once', async () => {
  await using service = await startService()
  await using relay = await Relay.open(service.url)
  const { page, go } = await openSignedIn({ url: relay.url, api: service.api })
  await openTail(page, go)
  await service.track('m0')
  await page.getByText('1 event shown, 1 received since').waitFor()
  relay.cut()
  await page.getByText('Reconnecting').waitFor()
  for (const number of [1, 2, 3]) await service.track(`m${number}`)
  relay.restore()
  await page.getByText('4 events shown, 4 received since').waitFor()

  // Cuts at various points within a message.
  let sent = 4
  for (const bytes of [1, 100, 333, 700, 1_500]) {
    relay.cutAfter(bytes)
    for (let count = 0; count < 10; count += 1) await service.track(`m${(sent += 1)}`)
    await page.getByText(`${sent} events shown, ${sent} received since`).waitFor()
  }
  expect(await page.getByText(/messages missed/i).count()).toBe(0)
})

test('hostile values are shown as text, in both themes and at 380 px', async () => {
  await using receiver = await openReceiver()
  await using service = await startService()
  await service.createDestination({ urls: [receiver.url] })
  const hostile = `<img src=x onerror=alert(1)> \u202Eevil \u001B[31m ${'x'.repeat(9_000)}`
  const looks = [
    { viewport: NARROW, colorScheme: 'dark' },
    { viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
  ] as const
  for (const [index, look] of looks.entries()) {
    const { page, go, pageErrors } = await openSignedIn(service, { ...look, role: 'viewer' })
    await openTail(page, go)
    await service.track(`m${index}`, { event: hostile, userId: hostile.replace('\u001B', '') })
    await page.getByRole('button', { name: /<img src=x.*delivered 200/ }).click()
    await page.getByText('Delivered to its destination.').waitFor()
    await expectNoHorizontalScroll(page)
    await expectAccessible(page)
    expect(await page.locator('main img').count()).toBe(0)
    expect(pageErrors).toEqual([])
  }
})
