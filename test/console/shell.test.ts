import { newId } from '@hookline/protocol'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { startService } from '@hookline/testing/service/running-service'
import { expectAccessible } from './harness/accessible.ts'
import { openConsole, openSignedIn, useChromium } from './harness/console.ts'
import { expectNoHorizontalScroll, NARROW } from './harness/narrow.ts'

useChromium()

const HOSTILE = '<img src=x onerror=alert(1)>\u202Eevil'

test('text typed after Ctrl K goes to the field, and Enter opens the page of that name', async () => {
  await using service = await startService()
  await service.track('order-4711')
  const { id } = await service.endOf('order-4711')
  const { page, pageErrors } = await openSignedIn(service)
  const field = page.getByRole('combobox', { name: 'Page, destination, source, user or ID' })
  const goTo = async (text: string): Promise<void> => {
    await page.keyboard.press('Control+k')
    await field.waitFor()
    await page.keyboard.type(text)
    expect(await field.inputValue()).toBe(text)
    await page.keyboard.press('Enter')
  }
  await goTo('events')
  await page.getByRole('heading', { level: 1, name: 'Events', exact: true }).waitFor()
  await goTo('u1')
  await page.waitForURL(/users\/u1$/)
  await page.getByRole('link', { name: 'Order Completed' }).waitFor()
  await goTo(id)
  await page.getByRole('heading', { level: 1, name: 'Order Completed' }).waitFor()
  await page.keyboard.press('Control+k')
  await field.fill(HOSTILE)
  await page.getByText('<img src=x onerror=alert(1)>⟨U+202E⟩evil').first().waitFor()
  await expectAccessible(page)
  expect(pageErrors).toEqual([])
})

test('a page with filters can be saved as a view, which survives a reload, and opens from the navigation and the palette', async () => {
  await using service = await startService()
  for (const id of ['order-1', 'order-2']) await service.track(id)
  await service.endOf('order-2')
  const { page, pageErrors } = await openSignedIn(service)
  await page.goto(`${service.url}/console/events?messageId=order-1`)
  await page.getByRole('button', { name: 'Save view' }).click()
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill(HOSTILE)
  await page.keyboard.press('Enter')
  const views = page.getByRole('navigation', { name: 'Saved views' })
  const link = views.getByRole('link', { name: '<img src=x onerror=alert(1)>⟨U+202E⟩evil' })
  await link.waitFor()
  expect(await link.getAttribute('aria-current')).toBe('page')
  await page.getByRole('button', { name: 'Save view' }).waitFor({ state: 'detached' })

  await page.getByRole('link', { name: 'System' }).click()
  await page.reload()
  await link.click()
  await page.waitForURL('**/events?messageId=order-1')
  await expectAccessible(page)
  await page.getByRole('link', { name: 'System' }).click()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Page, destination' }).fill('img src')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/events?messageId=order-1')
  await views.getByRole('button', { name: /^Remove the view/ }).click()
  await views.waitFor({ state: 'detached' })
  await page.evaluate(() => localStorage.setItem('hookline-views', '[{"name":1},null,{"to":"//x"'))
  await page.reload()
  await page.getByRole('button', { name: 'Save view' }).waitFor()
  expect(pageErrors).toEqual([])
})

test('the selected result of the palette stays selected when other results load later', async () => {
  await using service = await startService()
  const { page } = await openSignedIn(service)
  const released = Promise.withResolvers<void>()
  await page.route('**/api/v1/profiles?*', async (route) => {
    await released.promise
    await route.fulfill({ json: { data: [{ userIds: ['u12'] }], nextCursor: null } })
  })
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Page, destination' }).fill('u1')
  const search = page.getByRole('option', { name: 'Find events by messageId “u1”' })
  await search.waitFor()
  await page.keyboard.press('ArrowDown')
  expect(await search.getAttribute('aria-selected')).toBe('true')
  released.resolve()
  await page.getByRole('option', { name: /^u12/ }).waitFor()
  expect(await search.getAttribute('aria-selected')).toBe('true')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/events?messageId=u1')
})

test('a replay id opens the replays of its destination', async () => {
  await using receiver = await openReceiver()
  await using service = await startService()
  const id = await service.createDestination({ urls: [receiver.url] })
  const replay = await service.api.call<{ id: string }>('POST', 'replays', {
    destinationId: id,
    states: ['rejected'],
  })
  const { page, go } = await openSignedIn(service)
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Page, destination' }).fill(replay.id)
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/destinations/${id}?tab=replay`)
  await page.getByRole('region', { name: 'Replays' }).getByText(replay.id).waitFor()
  await go('destinations?replay=rpl_none')
  await page.getByRole('heading', { name: 'Replay not found' }).waitFor()
})

test('the theme can be chosen, and is kept after a reload and a sign-out', async () => {
  await using service = await startService()
  const { page, go, pageErrors } = await openSignedIn(service)
  await page.emulateMedia({ colorScheme: 'light' })
  await go('')
  const colour = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
  const light = await colour()
  await page.getByRole('button', { name: 'Theme: system' }).click()
  await page.getByRole('button', { name: 'Theme: light' }).click()
  await page.getByRole('button', { name: 'Theme: dark' }).waitFor()
  const dark = await colour()
  expect(dark).not.toBe(light)
  await expectAccessible(page)
  await page.reload()
  await page.getByRole('button', { name: 'Theme: dark' }).waitFor()
  expect(await colour()).toBe(dark)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.waitForURL('**/sign-in')
  expect(await colour()).toBe(dark)
  expect(pageErrors).toEqual([])
})

test('a dialog focuses its first field, even if the field appears late', async () => {
  await using service = await startService()
  const { page, go } = await openSignedIn(service)
  await go('destinations')
  await page.getByRole('button', { name: 'New destination' }).first().click()
  await expectFocus(page, 'Source')
  await page.keyboard.press('Escape')
  await page.route(/\/sources\?/, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 700))
    await route.continue()
  })
  await go('destinations?new=1')
  await page.getByRole('dialog').waitFor()
  await expectFocus(page, 'Source')
  await go('sources?new=1')
  await expectFocus(page, 'Name')
})

test('an unknown userId has no delete link, and its profile is requested only once', async () => {
  await using service = await startService()
  await service.track('m1', { userId: 'anna' })
  const { page, go } = await openSignedIn(service)
  let requests = 0
  page.on('request', (request) => {
    if (request.url().includes('/profile?userId=nobody')) requests += 1
  })
  await page.clock.install()
  await go('users/nobody')
  await page.getByText('No stored event has this userId').waitFor()
  await page.getByText('No profile', { exact: true }).waitFor()
  for (const _ of [1, 2, 3]) {
    await page.clock.runFor(6_000)
    await page.waitForTimeout(200)
  }
  expect(requests).toBe(1)
  expect(await page.getByText('Delete user').count()).toBe(0)
  await go('users/anna')
  await page.getByText('Delete user').waitFor()
})

test('the first relative time shown after a while is not in the future', async () => {
  await using service = await startService()
  const { page, go } = await openSignedIn(service)
  await page.addInitScript(`
    window.behind = 40_000
    const exact = Date.now
    Date.now = () => exact() - window.behind
  `)
  await go('events')
  await page.getByText('No events yet').waitFor()
  // Without this, the first tick would hide the bug within a second.
  await page.evaluate('window.behind = 0, window.setInterval = () => 0')
  await page.getByRole('link', { name: 'System' }).click()
  await page.getByText(/^Checked (now|\d s ago)/).waitFor()
})

test('the bar and the drawers extend to the edge of the window', async () => {
  await using service = await startService()
  const { page, go } = await openSignedIn(service)
  await go('sources')
  await page.getByRole('button', { name: 'Test', exact: true }).waitFor()
  const edge = (selector: string): Promise<readonly [right: number, width: number]> =>
    page.evaluate(
      `[document.querySelector('${selector}').getBoundingClientRect().right, document.documentElement.clientWidth]`,
    )
  const [bar, width] = await edge('header')
  expect(bar).toBe(width)
  expect(await page.evaluate('getComputedStyle(document.documentElement).scrollbarGutter')).toBe(
    'auto',
  )
  const heading = await edge('h1')
  await page.getByRole('button', { name: 'Test', exact: true }).click()
  await page.getByRole('dialog').waitFor()
  expect((await edge('[role=dialog]'))[0]).toBe(await page.evaluate('innerWidth'))
  expect((await edge('h1'))[0]).toBe(heading[0])
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(await page.evaluate('getComputedStyle(document.documentElement).overflowY')).toBe('scroll')
})

test('on a narrow screen, an event type fits on one line, the filters leave room for events, and the attempts fit', async () => {
  await using receiver = await openReceiver({ respond: [500, 200] })
  await using service = await startService()
  const id = await service.createDestination({ urls: [receiver.url] })
  await service.api.call('PATCH', `destinations/${id}`, { name: 'Customer relations' })
  await service.send('/v1/identify', { userId: 'u'.repeat(36), messageId: 'm1' })
  const trace = await service.endOf('m1')
  const { page, go } = await openSignedIn(service, { viewport: NARROW })
  await go('events')
  const type = page.getByRole('cell', { name: 'identify', exact: true }).last()
  await type.waitFor()
  const lines = await page.evaluate(`(() => {
    const range = document.createRange()
    range.selectNodeContents([...document.querySelectorAll('td')].findLast((cell) => cell.textContent === 'identify'))
    return range.getClientRects().length
  })()`)
  expect(lines).toBe(1)
  expect((await type.boundingBox())!.y).toBeLessThan(NARROW.height / 2 + 50)
  await page.getByText('More filters').click()
  await page.getByLabel('Type').selectOption('track')
  await page.getByText('More filters (1)').waitFor()
  await page.getByText('type is track').waitFor()
  await expectAccessible(page)

  await go(`events/${trace.id}`)
  await page
    .getByText(/^\d.* later$/)
    .first()
    .waitFor()
  const table = page.getByRole('region', { name: /^Attempts of/ })
  const cut = await table.evaluate(
    (node: { scrollWidth: number; clientWidth: number }) => node.scrollWidth - node.clientWidth,
  )
  expect(cut).toBeLessThanOrEqual(0)
  await table.getByRole('cell', { name: /^#2/ }).waitFor()
  await expectNoHorizontalScroll(page)
  await expectAccessible(page)
})

test('the message of an action disappears when the action is undone', async () => {
  await using receiver = await openReceiver()
  await using service = await startService()
  const id = await service.createDestination({ urls: [receiver.url] })
  const { page, go } = await openSignedIn(service)
  await go(`destinations/${id}`)
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click()
  await page.getByText('Paused.', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByText('Resumed. Held deliveries are being sent.').waitFor()
  expect(await page.getByText('Paused.', { exact: true }).count()).toBe(0)
})

test('the keyboard shortcuts and the API reference are discoverable', async () => {
  await using service = await startService()
  const { page } = await openSignedIn(service)
  await page.getByRole('button', { name: 'Shortcuts' }).click()
  await page
    .getByRole('dialog', { name: 'Keyboard shortcuts' })
    .getByText('Filter the list')
    .waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'API reference' }).click()
  await page.waitForURL(/\/api\/docs$/)
  await page.getByRole('heading').first().waitFor()
})

test("an absent record, or a missing session, is explained without an error in the browser's console", async () => {
  await using service = await startService()
  const signedOut = await openConsole(service.url)
  await signedOut.go('events')
  await signedOut.page.getByRole('heading', { name: 'Sign in to Hookline' }).waitFor()
  const { page, go, pageErrors } = await openSignedIn(service)
  for (const [path, text] of [
    [`events/${newId('evt', Date.now())}`, 'Event not found'],
    ['events?delivery=msg_none', 'Delivery not found'],
    ['destinations/dst_none', 'Destination not found'],
    ['destinations?replay=rpl_none', 'Replay not found'],
    ['users/anna', 'No profile'],
    ['privacy?deletion=del_none', 'Not found'],
    ['inspector?request=req_none', 'Request no longer stored'],
  ] as const) {
    await go(path)
    await page.getByText(text).first().waitFor()
  }
  expect([...signedOut.pageErrors, ...pageErrors]).toEqual([])
})

/** Expects the focus in the field with this label. */
async function expectFocus(page: Page, label: string): Promise<void> {
  await expect
    .poll(() => page.evaluate('document.activeElement?.labels?.[0]?.textContent'))
    .toBe(label)
}
