import { expect, test } from 'vitest'
import { Receiver } from '@hookline/testing/receiver/receiver'
import { startService } from '@hookline/testing/service/running-service'
import { expectAccessible } from './harness/accessible.ts'
import { openSignedIn, useChromium } from './harness/console.ts'
import { expectVerified } from './harness/expect-verified.ts'

useChromium()

test('an empty service opens Get started, which needs only clicks', async () => {
  await using service = await startService()
  await service.api.call('DELETE', `sources/${service.source.id}`)
  const { page, pageErrors } = await openSignedIn(service)
  await page.getByRole('heading', { level: 1, name: 'Get started' }).waitFor()
  expect(await page.getByRole('main').getByRole('heading', { level: 2 }).count()).toBe(5)
  await page.getByText('Five steps to your first verified delivery').waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Create source' }).click()
  await page.getByRole('button', { name: 'Create destination' }).click()
  await page.getByRole('button', { name: 'Send a test event' }).click()
  await expectVerified(page)
  await page.getByText('Copy it now. It will not be shown again.').waitFor()
  await expectAccessible(page)
  expect(pageErrors).toEqual([])
})

test('a custom receiver is distinguished from the inspector, and its failure is explained', async () => {
  await using service = await startService()
  await using receiver = await new Receiver({ respond: 500 }).listen()
  const { page } = await openSignedIn(service)
  await page.getByRole('radio', { name: 'My own URL' }).click()
  const field = page.getByLabel('Receiver URL')
  await field.fill('http://10.0.0.1:25/hooks')
  await page.getByRole('button', { name: 'Create destination' }).click()
  await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true')
  await field.fill(receiver.url)
  await page.getByRole('button', { name: 'Create destination' }).click()
  await page.getByRole('button', { name: 'Send a test event' }).click()
  await page.getByText('Retrying', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'View trace' }).click()
  await page.waitForURL('**/console/events/evt_*')
})

test('an unsigned delivery is not enough: the step explains how to set a secret, and a signed delivery completes it', async () => {
  await using service = await startService()
  await using receiver = await new Receiver({}).listen()
  const id = await service.createDestination({ urls: [receiver.url] })
  await service.track('m1')
  await service.endOf('m1')
  const { page, go, pageErrors } = await openSignedIn(service)
  await go('get-started')
  const step = page.getByRole('listitem').filter({ hasText: 'Receive a signed delivery' })
  await step.getByText('Not signed', { exact: true }).waitFor()
  await step.getByText('(next)').waitFor({ state: 'attached' })
  await expectAccessible(page)
  const settings = step.getByRole('link', { name: 'the destination’s settings' })
  expect(await settings.getAttribute('href')).toMatch(`/destinations/${id}?tab=settings`)
  const sharedSecret = 'a secret of the receiver'
  await service.api.call('PATCH', `destinations/${id}`, { settings: { sharedSecret } })
  await service.track('m2')
  await step.getByText('(done)').waitFor({ state: 'attached' })
  expect(await step.getByText('Not signed', { exact: true }).count()).toBe(0)
  expect(pageErrors).toEqual([])
})

test('a source with events is selected, even if it is not the newest, and another can be chosen', async () => {
  await using service = await startService()
  await using receiver = await new Receiver({}).listen()
  await service.createDestination({ urls: [receiver.url], secret: 'a secret of the receiver' })
  await service.track('m1')
  await service.endOf('m1')
  await service.api.call('POST', 'sources', { name: 'Newest' })
  const { page, go, pageErrors } = await openSignedIn(service)
  await go('get-started')
  const step = page.getByRole('listitem').filter({ hasText: 'Receive a signed delivery' })
  await step.getByText('(done)').waitFor({ state: 'attached' })
  await expectAccessible(page)
  await page.getByLabel('Source', { exact: true }).selectOption('Newest')
  await page.getByRole('button', { name: 'Create destination' }).waitFor()
  expect(pageErrors).toEqual([])
})

test('a viewer sees no forbidden actions', async () => {
  await using service = await startService()
  const { page } = await openSignedIn(service, { role: 'viewer' })
  await page.getByText('Ask an editor to create one.').waitFor()
  expect(await page.getByRole('button', { name: /Create/ }).count()).toBe(0)
})

test.for(['light', 'dark'] as const)(
  'Get started works at 380 px, in %s mode',
  async (colorScheme) => {
    await using service = await startService()
    const viewport = { width: 380, height: 800 }
    const { page } = await openSignedIn(service, { viewport, colorScheme })
    await page.getByRole('button', { name: 'Create destination' }).click()
    await page.getByRole('button', { name: 'Send a test event' }).click()
    await expectVerified(page)
    const width = await page.evaluate('document.documentElement.scrollWidth')
    expect(width).toBeLessThanOrEqual(viewport.width)
    await expectAccessible(page)
  },
)
