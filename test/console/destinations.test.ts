import { expect, test } from 'vitest'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { startService } from '@hookline/testing/service/running-service'
import { expectAccessible } from './harness/accessible.ts'
import { openSignedIn, useChromium } from './harness/console.ts'
import { expectNoHorizontalScroll, NARROW } from './harness/narrow.ts'

useChromium()

test('a destination is created, with errors next to its fields, and tested', async () => {
  await using service = await startService()
  await using receiver = await openReceiver()
  const { page, pageErrors, go } = await openSignedIn(service)
  await go('destinations')
  await page.getByRole('heading', { name: 'No destinations yet' }).waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'New destination' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('URL', { exact: true }).fill('ftp://example.com/')
  await dialog.getByRole('button', { name: 'Add header' }).click()
  await dialog.getByLabel('Header', { exact: true }).fill('Host')
  await dialog.getByLabel('Value', { exact: true }).fill('x')
  await dialog.getByRole('button', { name: 'Create destination' }).click()
  await dialog.getByText('This header is reserved.').waitFor()
  await dialog.getByText('Only http and https URLs are allowed.').waitFor()
  await expectAccessible(page)
  pageErrors.length = 0

  await dialog.getByLabel('Header', { exact: true }).fill('Authorization')
  await dialog.getByLabel('Value', { exact: true }).fill('Bearer of-the-test')
  await dialog.getByLabel('Name').fill('Warehouse')
  await dialog.getByLabel('URL', { exact: true }).fill(receiver.url)
  await dialog.getByRole('button', { name: 'Create destination' }).click()
  await dialog.getByText('it will not be shown again').waitFor()
  const secret = await dialog.getByLabel('the shared secret', { exact: true }).textContent()
  expect(secret).toMatch(/^whsec_[\w+/]{43}=$/)
  await expectAccessible(page)

  await dialog.getByRole('link', { name: 'Send a test' }).click()
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByText('Request (not sent)').waitFor()
  expect(receiver.requests).toHaveLength(0)
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByRole('heading', { name: 'Request', exact: true }).waitFor()
  await page.getByText(/^accepted: 200/).waitFor()
  await expectAccessible(page)
  expect(receiver.requests[0]!.headers['authorization']).toBe('Bearer of-the-test')
  expect(await page.content()).not.toContain('of-the-test')
  expect(pageErrors).toEqual([])
})

test('the inspector can be used as a destination', async () => {
  await using service = await startService()
  const { page, go } = await openSignedIn(service)
  await go('destinations?new=1')
  await page.getByRole('radio', { name: 'Built-in inspector' }).check()
  await page.getByRole('button', { name: 'Create destination' }).click()
  await page.getByRole('link', { name: 'Open destination' }).click()
  await page.getByRole('heading', { level: 1, name: 'Inspector' }).waitFor()
  await page.getByText('http://inspector.internal/').first().waitFor()
})

test('more than a hundred destinations are listed and filtered, and health is requested only for those on screen', async () => {
  await using service = await startService()
  for (let index = 0; index < 120; index += 1)
    await service.api.call('POST', 'destinations', {
      sourceId: service.source.id,
      type: 'Webhooks',
      name: `Receiver ${index}`,
      settings: { webhooks: [{ url: `https://r${index}.example/` }] },
    })
  const { page, go } = await openSignedIn(service)
  const requested = new Set<string>()
  page.on('request', (request) => {
    const [, id] = /\/destinations\/(dst_\w+)$/.exec(request.url()) ?? []
    if (id !== undefined) requested.add(id)
  })
  await go('destinations')
  await page.getByRole('link', { name: 'Receiver 119' }).waitFor()
  await expect.poll(() => requested.size).toBeGreaterThan(3)
  expect(requested.size).toBeLessThan(60)
  await page.keyboard.press('/')
  await page.keyboard.type('r77.example')
  await page.getByRole('link', { name: 'Receiver 119' }).waitFor({ state: 'detached' })
  expect(page.url()).toContain('text=r77.example')
  await page.getByRole('link', { name: 'Receiver 77' }).waitFor()
})

test('a transform is evaluated while it is typed, and saved', async () => {
  await using receiver = await openReceiver()
  await using service = await startService()
  const id = await service.createDestination({ urls: [receiver.url] })
  await service.track('m-1', { properties: { revenue: 100 } })
  await service.endOf('m-1')
  const { page, pageErrors, go } = await openSignedIn(service)
  await go(`destinations/${id}?tab=settings`)
  const panel = page.locator('section', {
    has: page.getByRole('heading', { name: 'Events and fields' }),
  })
  const input = panel.getByLabel('Transform', { exact: true })
  const body = panel.getByLabel('the body', { exact: true })
  await input.fill('{"text": event & " for " & properties.revenue}')
  await body.getByText('for 100').waitFor()
  await expectAccessible(page)
  await input.fill('properties.absent')
  await panel.getByText('Nothing is sent: the transform returned nothing.').waitFor()
  await input.fill('$sum(event)')
  await panel.getByText('T0412 at character 5').waitFor()
  await input.fill('{"text": ')
  await panel.getByText('The expression is invalid at character 9').waitFor()
  // Chromium logs the refused request.
  pageErrors.length = 0
  await panel.getByLabel('Ready-made transform').selectOption({ label: 'Slack message' })
  await body.getByText('revenue: 100').waitFor()
  await panel.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved. The changes apply from the next event and attempt.').waitFor()
  await service.track('m-2', { properties: { revenue: 1 } })
  await receiver.waitFor(2)
  expect(JSON.parse(receiver.requests[1]!.body.toString())).toHaveProperty('text')
  expect(pageErrors).toEqual([])
})

test('a filter is built, previewed while it is edited, edited as JSON, and saved', async () => {
  await using receiver = await openReceiver()
  await using service = await startService()
  const id = await service.createDestination({ urls: [receiver.url] })
  await service.track('m-1', { properties: { revenue: 100 } })
  await service.track('m-2', { properties: { revenue: 39.95 } })
  await service.endOf('m-2')
  const { page, pageErrors, go } = await openSignedIn(service)
  const suggestions: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('events?limit=200')) suggestions.push(request.url())
  })
  await go(`destinations/${id}?tab=settings`)
  const panel = page.getByRole('region', { name: 'Filter' })
  const form = page.locator('section', {
    has: page.getByRole('heading', { name: 'Events and fields' }),
  })
  const condition = (number: number) =>
    panel.getByRole('group', { name: /^Condition:/ }).nth(number - 1)
  const save = form.getByRole('button', { name: 'Save' })

  await panel.getByRole('button', { name: 'Add filter' }).waitFor()
  expect(suggestions).toEqual([])
  // By keyboard.
  await panel.getByRole('button', { name: 'Add filter' }).press('Enter')
  await condition(1).getByLabel('Event name').focus()
  await page.keyboard.type('Order *')
  await panel.getByText('Selects 2 of 2 recent events.').waitFor()
  expect(suggestions).toHaveLength(1)
  await condition(1).getByRole('button', { name: 'Filter by value' }).press('Enter')
  await panel.getByText('Fill in all fields to see matching events.').waitFor()
  expect(await save.isDisabled()).toBe(true)
  await page.keyboard.type('revenue')
  await condition(1).getByLabel('Operator').selectOption('is at least')
  await condition(1).getByLabel('Value', { exact: true }).fill('100')
  await panel.getByText('Selects 1 of 2 recent events.').waitFor()
  await panel.getByText('/or/0/where/0: revenue is 39.95; required: >= 100.').waitFor()
  await panel.getByLabel('Match').selectOption('All of')
  await panel.getByRole('button', { name: 'Add condition' }).click()
  await page.keyboard.type('any')
  await condition(2).getByRole('button', { name: 'Filter by value' }).click()
  await condition(2).getByLabel('Compare').selectOption('userId')
  await condition(2).getByLabel('Operator').selectOption('has no value')
  await condition(2).getByRole('button', { name: 'Not', exact: true }).click()
  await panel
    .getByText(
      'Order * where revenue is at least 100 and not (any event where userId has no value)',
      { exact: true },
    )
    .waitFor()
  await panel.getByText('Selects 1 of 2 recent events.').waitFor()
  await expectAccessible(page)
  await expectNoHorizontalScroll(page)

  await form.getByRole('button', { name: 'Edit as JSON' }).click()
  const json = panel.getByLabel('Filter as JSON')
  const where = [{ property: 'revenue', op: '>=', value: 100 }]
  expect(JSON.parse(await json.inputValue())).toEqual({
    and: [
      { type: 'track', event: 'Order *', where },
      { not: { where: [{ field: 'userId', op: 'not_exists' }] } },
    ],
  })
  await json.fill('{"event": ')
  await panel.getByText('Invalid JSON.').waitFor()
  expect(pageErrors).toEqual([])
  await json.fill(
    '{"and": [{"event": "Order *"}, {"where": [{"property": "a..b", "op": "exists"}]}]}',
  )
  await panel.getByText('/and/1/where/0/property: The path contains an empty name.').waitFor()
  await form.getByRole('button', { name: 'Use builder' }).click()
  await condition(2).getByText('The path contains an empty name.').waitFor()
  await expectAccessible(page)
  // Chromium logs the refused request.
  pageErrors.length = 0
  await form.getByRole('button', { name: 'Edit as JSON' }).click()
  await json.fill(JSON.stringify({ event: 'Order *', where }))
  await panel.getByText('Selects 1 of 2 recent events.').waitFor()
  await save.click()
  await page.getByText('Saved. The changes apply from the next event and attempt.').waitFor()
  await service.track('m-3', { properties: { revenue: 1 } })
  expect((await service.endOf('m-3')).decisions).toMatchObject([{ reason: 'filtered' }])
  await panel.getByRole('button', { name: 'Remove filter' }).click()
  await panel.getByText('All events.').waitFor()
  // The result of the removed filter is not shown for the next one.
  const previews = '**/filter-preview*'
  await page.route(previews, () => undefined)
  await form.getByRole('button', { name: 'Use builder' }).click()
  await panel.getByRole('button', { name: 'Add filter' }).click()
  await panel.getByText('Counting…').waitFor()
  await page.unroute(previews)
  // A copy equals its original, and is independent of it.
  await condition(1).getByLabel('Event name').fill('Paid')
  await condition(1).getByRole('button', { name: 'Not', exact: true }).click()
  await condition(1).getByRole('button', { name: 'Duplicate' }).click()
  await condition(2).getByLabel('Event name').fill('Refunded')
  await form.getByRole('button', { name: 'Edit as JSON' }).click()
  expect(JSON.parse(await json.inputValue())).toEqual({
    or: ['Paid', 'Refunded'].map((event) => ({ not: { type: 'track', event } })),
  })
  await panel.getByRole('button', { name: 'Remove filter' }).click()
  await save.click()
  await service.track('m-4', { properties: { revenue: 1 } })
  await receiver.waitFor(3)
  expect(pageErrors).toEqual([])
})

test('fields are removed and hashed, and the differences of the body are marked', async () => {
  await using receiver = await openReceiver()
  await using service = await startService()
  const id = await service.createDestination({ urls: [receiver.url] })
  const properties = { email: 'anna@example.com', revenue: 100 }
  await service.track('m-1', { userId: 'u1', properties })
  const { id: eventId } = await service.endOf('m-1')
  const { page, pageErrors, go } = await openSignedIn(service, { viewport: NARROW })
  await go(`destinations/${id}?tab=settings`)
  const panel = page.getByRole('region', { name: 'Users, fields and format' })
  const field = (number: number) => panel.getByRole('group', { name: 'Field' }).nth(number - 1)
  for (const [index, path] of ['properties.email', 'userId'].entries()) {
    await panel.getByRole('button', { name: 'Remove or hash a field' }).click()
    await field(index + 1)
      .getByLabel('Path')
      .fill(path)
  }
  await field(2).getByLabel('Rule', { exact: true }).selectOption('hash')
  await panel.getByText('All users, without properties.email, with hashed userId').waitFor()
  await expectAccessible(page)
  await expectNoHorizontalScroll(page)
  const form = page.locator('section', {
    has: page.getByRole('heading', { name: 'Events and fields' }),
  })
  await form.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved. The changes apply from the next event and attempt.').waitFor()

  const marked = page.getByRole('listitem').filter({ hasText: /removed|hashed/ })
  const expected = ['hashed userId', 'removed properties.email']
  await page.getByRole('tab', { name: 'Test' }).click()
  await page.getByLabel('Or a stored event').fill(eventId)
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByText('2 differences').waitFor()
  expect(await marked.allInnerTexts()).toEqual(expected)
  await expect(page.locator('del').allInnerTexts()).resolves.toEqual([
    '"email": "anna@example.com",',
  ])
  await expectAccessible(page)
  await expectNoHorizontalScroll(page)

  await go(`events/${eventId}?tab=exchange`)
  await page.getByText('2 differences').waitFor()
  expect(await marked.allInnerTexts()).toEqual(expected)
  await expectAccessible(page)
  await expectNoHorizontalScroll(page)
  expect(pageErrors).toEqual([])
})
