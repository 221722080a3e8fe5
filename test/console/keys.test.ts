import { expect, test } from 'vitest'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { startService } from '@hookline/testing/service/running-service'
import { expectAccessible } from './harness/accessible.ts'
import { openSignedIn, useChromium } from './harness/console.ts'

useChromium()

test('r retries the delivery in the open drawer, and asks for confirmation if it was delivered', async () => {
  await using receiver = await openReceiver({ respond: [400, 200] })
  await using service = await startService()
  const id = await service.createDestination({ urls: [receiver.url] })
  await service.track('m1')
  const trace = await service.endOf('m1')
  const { page, go, pageErrors } = await openSignedIn(service)
  await go(`destinations/${id}?tab=deliveries&delivery=${trace.deliveries[0]!.id}`)
  const drawer = page.getByRole('dialog', { name: 'Delivery' })
  await drawer.getByRole('button', { name: 'Retry now' }).waitFor()
  await page.keyboard.press('r')
  await receiver.waitFor(2)
  await drawer.getByText('delivered', { exact: true }).first().waitFor()

  // The key is ignored while a retry is in progress.
  await drawer.locator('button:not([aria-busy="true"])', { hasText: 'Retry now' }).waitFor()
  const question = page.getByRole('dialog', { name: 'Send again?' })
  await page.keyboard.press('r')
  await question.waitFor()
  await expectAccessible(page)
  await page.keyboard.press('r')
  await page.keyboard.press('Escape')
  await question.waitFor({ state: 'detached' })
  expect(receiver.requests).toHaveLength(2)
  // The focus returns to the drawer.
  await expect.poll(() => page.evaluate('document.activeElement.ariaLabel')).toBe('Close')
  await page.keyboard.press('r')
  await question.getByRole('button', { name: 'Send again' }).click()
  await receiver.waitFor(3)
  await question.waitFor({ state: 'detached' })
  expect(await drawer.count()).toBe(1)
  expect(pageErrors).toEqual([])
})

test('/ focuses the filter of deliveries and of suppressions', async () => {
  await using service = await startService()
  const id = await service.createDestination({ urls: ['http://127.0.0.1:4009/'] })
  const { page, go } = await openSignedIn(service)
  for (const [path, field] of [
    [`destinations/${id}?tab=deliveries`, 'Last HTTP status'],
    ['privacy?tab=suppressions', 'userId or anonymousId'],
  ] as const) {
    await go(path)
    await page.getByLabel(field).waitFor()
    await page.keyboard.press('/')
    expect(await page.evaluate('document.activeElement.ariaLabel')).toBe(field)
  }
})
