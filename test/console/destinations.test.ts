import { expect, test } from 'vitest'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { startService } from '@hookline/testing/service/running-service'
import { expectAccessible } from './harness/accessible.ts'
import { openSignedIn, useChromium } from './harness/console.ts'

useChromium()

test('a destination is created, with errors next to its fields, and tested', async () => {
  await using service = await startService()
  await using receiver = await openReceiver()
  const { page, faults, go } = await openSignedIn(service)
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
  faults.length = 0

  await dialog.getByLabel('Header', { exact: true }).fill('Authorization')
  await dialog.getByLabel('Value', { exact: true }).fill('Bearer of-the-test')
  await dialog.getByLabel('Name').fill('Warehouse')
  await dialog.getByLabel('URL', { exact: true }).fill(receiver.url)
  await dialog.getByRole('button', { name: 'Create destination' }).click()
  await dialog.getByText('it is not shown again').waitFor()
  const secret = await dialog.getByLabel('the shared secret', { exact: true }).textContent()
  expect(secret).toMatch(/^[\w-]{43}$/)
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
  expect(faults).toEqual([])
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

test('hundreds of destinations are listed and filtered, and health is requested only for visible ones', async () => {
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
  const { page, faults, go } = await openSignedIn(service)
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
  faults.length = 0
  await panel.getByLabel('Start from').selectOption({ label: 'Slack message' })
  await body.getByText('revenue: 100').waitFor()
  await panel.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved. The changes apply from the next event and attempt.').waitFor()
  await service.track('m-2', { properties: { revenue: 1 } })
  await receiver.waitFor(2)
  expect(JSON.parse(receiver.requests[1]!.body.toString())).toHaveProperty('text')
  expect(faults).toEqual([])
})

test('a filter is previewed while it is typed, and saved', async () => {
  await using receiver = await openReceiver()
  await using service = await startService()
  const id = await service.createDestination({ urls: [receiver.url] })
  await service.track('m-1', { properties: { revenue: 100 } })
  await service.track('m-2', { properties: { revenue: 39.95 } })
  await service.endOf('m-2')
  const { page, faults, go } = await openSignedIn(service)
  await go(`destinations/${id}?tab=settings`)
  const input = page.getByLabel('filter, sample, fields and format as JSON')
  await input.fill('{"filter": {"event": "Order *", "where": [')
  await page.getByText('Invalid JSON.').waitFor()
  const where = [{ property: 'revenue', op: '>=', value: 100 }]
  await input.fill(JSON.stringify({ filter: { event: 'Order *', where } }))
  await page.getByText('Selects 1 of the last 2 events.').waitFor()
  await page.getByText('/where/0: revenue is 39.95, not >= 100.').waitFor()
  await expectAccessible(page)
  const panel = page.locator('section', {
    has: page.getByRole('heading', { name: 'Events and fields' }),
  })
  await panel.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved. The changes apply from the next event and attempt.').waitFor()
  await service.track('m-3', { properties: { revenue: 1 } })
  expect((await service.endOf('m-3')).decisions).toMatchObject([{ reason: 'filtered' }])
  expect(faults).toEqual([])
})
