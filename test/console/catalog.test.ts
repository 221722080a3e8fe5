import { expect, test } from 'vitest'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { startService } from '@hookline/testing/service/running-service'
import { expectAccessible } from './harness/accessible.ts'
import { openSignedIn, useChromium } from './harness/console.ts'
import { expectNoHorizontalScroll, NARROW } from './harness/narrow.ts'

useChromium()

const HOSTILE = '__proto__ <b>\u202e'

test('the catalog lists names with their counts and properties, and links to events and a filter', async () => {
  await using receiver = await openReceiver()
  await using service = await startService()
  const id = await service.createDestination({ urls: [receiver.url] })
  await service.track('m1', { event: HOSTILE, properties: { [HOSTILE]: 1, total: null } })
  await service.track('m2', { event: HOSTILE, properties: { total: 'x'.repeat(9_000) } })
  await service.track('m3', { event: 'x'.repeat(201) })
  await service.send('/v1/page', { userId: 'u1', name: 'Home' })
  const { page, go, pageErrors } = await openSignedIn(service)
  await go('catalog')
  const shown = '__proto__ <b>⟨U+202E⟩'
  await page.getByRole('row', { name: `${shown} track 2` }).waitFor()
  await page.getByRole('row', { name: 'Home page 1' }).waitFor()
  await page.getByRole('row', { name: 'Other names several 1' }).waitFor()
  await expectAccessible(page)

  await page.getByLabel('Type').selectOption('track')
  await page.getByText('1 name.').waitFor()
  await page.getByRole('button', { name: shown }).click()
  const drawer = page.getByRole('dialog', { name: shown })
  await drawer.getByRole('row', { name: `${shown} number` }).waitFor()
  await drawer.getByRole('row', { name: 'total string, null' }).waitFor()
  await expectAccessible(page)
  await page.reload()
  await drawer.getByRole('link', { name: 'Show events' }).click()
  await page.getByText('All 2 events.').waitFor()
  await page.goBack()
  await drawer.getByRole('link', { name: 'Watch live' }).click()
  const eventName = page.getByRole('textbox', { name: 'Event name' })
  await eventName.waitFor()
  expect(await eventName.inputValue()).toBe(HOSTILE)

  await page.goBack()
  await drawer.getByRole('link', { name: 'Create a filter for Webhooks' }).click()
  const discard = page.getByRole('button', { name: 'Discard changes' })
  await discard.click()
  await discard.waitFor({ state: 'detached' })
  // The filter in the URL is used once.
  await page.reload()
  await page.getByRole('button', { name: 'Save', exact: true }).first().waitFor()
  expect(await discard.count()).toBe(0)
  await go('catalog?type=track')
  await page.getByRole('button', { name: shown }).click()
  await drawer.getByRole('link', { name: 'Create a filter for Webhooks' }).click()
  await discard.waitFor()
  const routing = page.getByRole('region', { name: 'Events and fields' })
  await routing.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Saved. The changes apply').waitFor()
  const { settings } = await service.api.call<{ settings: { filter: object } }>(
    'GET',
    `destinations/${id}`,
  )
  expect(settings.filter).toEqual({ type: 'track', event: HOSTILE })
  await go('catalog')
  await page.getByRole('button', { name: 'Home' }).click()
  await page.getByText('Webhooks already has a filter').waitFor()
  expect(pageErrors).toEqual([])
})

test('the catalog is usable on a narrow dark screen, and explains an empty list', async () => {
  await using service = await startService()
  const { page, go } = await openSignedIn(service, { role: 'viewer', colorScheme: 'dark' })
  await page.setViewportSize(NARROW)
  await go('catalog')
  await page.getByRole('heading', { name: 'No events yet' }).waitFor()
  await expectAccessible(page)
  const properties = Object.fromEntries(
    Array.from({ length: 101 }, (_, index) => [`a_rather_long_name_of_a_property_${index}`, true]),
  )
  await service.track('m1', { event: 'x'.repeat(200), properties })
  await page.getByRole('row', { name: /track Events 1/ }).waitFor()
  await expectNoHorizontalScroll(page)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'xxx' }).click()
  await page.getByText('There are more: at most 100 are listed').waitFor()
  expect(await page.getByText('Send only these events').count()).toBe(0)
  await expectNoHorizontalScroll(page)
  await expectAccessible(page)
})
