import { expect, test } from 'vitest'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { startService } from '@hookline/testing/service/running-service'
import { expectAccessible } from './harness/accessible.ts'
import { openSignedIn, useChromium } from './harness/console.ts'
import { expectNoHorizontalScroll, NARROW } from './harness/narrow.ts'

useChromium()

const HOSTILE = `<img src=x onerror=alert(1)>\u202Egnirts ${'W'.repeat(120)}`

test('a channel is added, tested, paused, resumed and removed', async () => {
  await using service = await startService()
  await using channel = await openReceiver({ respond: [200, 403] })
  const { page, pageErrors, go } = await openSignedIn(service)
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Page, destination' }).fill('alerts')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Alerts' }).waitFor()
  await page.getByRole('heading', { name: 'No channels yet' }).waitFor()
  await expectAccessible(page)

  await page.getByRole('button', { name: 'New channel' }).click()
  const dialog = page.getByRole('dialog', { name: 'New channel' })
  expect(await dialog.getByLabel('Integration key').count()).toBe(0)
  await dialog.getByLabel('Format').selectOption('PagerDuty')
  await dialog.getByLabel('Integration key').fill('planted key')
  await dialog.getByLabel('URL').fill('nonsense')
  await dialog.getByRole('button', { name: 'Add channel' }).click()
  await dialog.getByRole('alert').waitFor()
  await expect.poll(() => dialog.getByLabel('URL').getAttribute('aria-invalid')).toBe('true')
  await expectAccessible(page)
  await dialog.getByLabel('URL').fill(channel.url)
  await dialog.getByLabel('Name').fill('On call')
  await page.keyboard.press('Enter')
  await page.getByText('Channel added.').waitFor()
  const row = page.getByRole('region', { name: 'All channels' }).getByRole('row').nth(1)
  await row.getByText('PagerDuty').waitFor()
  await row.getByText('never').waitFor()

  await row.getByRole('button', { name: 'Send test to On call' }).click()
  await page.getByText('The test alert was accepted.').waitFor()
  expect(channel.requests[0]!.headers['x-routing-key']).toBe('planted key')
  expect(JSON.parse(channel.requests[0]!.body.toString())).toMatchObject({
    event_action: 'trigger',
  })
  await row.getByRole('button', { name: 'Send test to On call' }).click()
  await page.getByText('The test alert was not accepted: status 403.').waitFor()

  await row.getByRole('button', { name: 'Pause On call' }).click()
  await row.getByText('paused', { exact: true }).waitFor()
  await row.getByRole('button', { name: 'Resume On call' }).click()
  await row.getByText('enabled', { exact: true }).waitFor()

  await page.getByRole('heading', { level: 1 }).click()
  await page.keyboard.press('j')
  expect(await page.evaluate('document.activeElement.textContent')).toBe('On call')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'On call' }).waitFor()
  await page.getByText('Source: alerts').waitFor()
  await go('alerts')
  await row.getByRole('button', { name: 'Remove On call' }).click()
  await expectAccessible(page)
  await page.getByLabel('Type “On call” to confirm').fill('On call')
  await page.getByRole('button', { name: 'Remove channel' }).click()
  await page.getByRole('heading', { name: 'No channels yet' }).waitFor()
  expect(await service.api.call('GET', 'destinations')).toMatchObject({ data: [] })
  // The invalid URL.
  expect(pageErrors).toEqual([expect.stringContaining('status of 422')])
})

test('recent alerts, the number held back and the conditions are shown, in light and dark mode, on wide and narrow screens', async () => {
  await using service = await startService()
  await using channel = await openReceiver()
  await using receiver = await openReceiver({ respond: 400 })
  await service.api.call('POST', 'alerts/channels', {
    url: channel.url,
    format: 'webhook',
    name: HOSTILE,
  })
  const id = await service.createDestination({ urls: [receiver.url] })
  await service.api.call('PATCH', `destinations/${id}`, { name: HOSTILE })
  await service.track('m1')
  await channel.waitFor(1)
  const { page, pageErrors, go } = await openSignedIn(service)
  await page.route('**/api/v1/alerts', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ json: { ...((await response.json()) as object), heldBack: 3 } })
  })
  await go('alerts')
  const last = page.getByRole('region', { name: 'Recent alerts' })
  const alert = last.getByRole('row').filter({ hasText: 'Webhook Failing' })
  await alert.getByText('No attempt succeeded in the last hour (1 failed).').waitFor()
  await alert.getByText('delivered').waitFor()
  await last.getByText('3 alerts held back').waitFor()
  const groups = page.getByRole('region', { name: 'Conditions' })
  const conditions = groups.getByRole('row')
  expect(await conditions.count()).toBe(0)
  for (const title of ['Lost or undelivered events', 'Failures', 'Warnings'])
    await groups.getByRole('heading', { name: title }).click()
  await conditions.filter({ hasText: 'Webhook Failing, Webhook Recovered' }).waitFor()
  await conditions.getByText('Disk Low', { exact: true }).waitFor()
  expect(await conditions.filter({ hasText: 'not sent' }).count()).toBeGreaterThan(1)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await expectAccessible(page)
    await page.setViewportSize(NARROW)
    await expectNoHorizontalScroll(page)
    await expectAccessible(page)
    await page.setViewportSize({ width: 1280, height: 800 })
  }
  expect(await page.locator('img[src="x"]').count()).toBe(0)
  await alert.getByRole('link', { name: 'Webhook Failing' }).click()
  await page.getByRole('heading', { level: 1, name: 'Webhook Failing' }).waitFor()
  await go('sources?source=src_hookline')
  await page.getByRole('heading', { level: 1, name: 'Alerts' }).waitFor()
  await go('sources')
  await page.getByRole('row').nth(1).waitFor()
  expect(await page.getByRole('row').count()).toBe(2)
  expect(pageErrors).toEqual([])
})

test('viewers see the channels, but no buttons that change them', async () => {
  await using service = await startService()
  const body = { url: 'https://hooks.example/secret', format: 'slack' }
  await service.api.call('POST', 'alerts/channels', body)
  const { page, go } = await openSignedIn(service, { role: 'viewer' })
  await go('alerts?new=1')
  await page.getByRole('cell', { name: 'hooks.example' }).waitFor()
  expect(await page.getByRole('main').getByRole('button').count()).toBe(0)
  expect(await page.getByRole('dialog').count()).toBe(0)
  expect(await page.getByText('secret').count()).toBe(0)
})
