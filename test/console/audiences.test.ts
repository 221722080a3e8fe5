import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { type RunningService, startService } from '@hookline/testing/service/running-service'
import { expectAccessible } from './harness/accessible.ts'
import { openSignedIn, useChromium } from './harness/console.ts'

useChromium()

const HOSTILE = '<img src=x onerror=alert(1)>\u202e\u001b[31m javascript:alert(1)'
/** Ids must not contain control characters. */
const HOSTILE_ID = '<img src=x onerror=alert(1)>\u202e javascript:alert(1)'

async function identify(service: RunningService, userId: string, plan: string): Promise<void> {
  const call = { type: 'identify', userId, traits: { plan } }
  expect((await service.send('/v1/identify', call)).status).toBe(200)
}

const isWithinWidth = (page: Page) =>
  page.evaluate<boolean>('document.documentElement.scrollWidth <= window.innerWidth')

test('a computed trait can be created, and explains its values', async () => {
  await using service = await startService()
  for (const [index, revenue] of [5, 7].entries())
    await service.track(`m${index}`, { userId: 'anna', properties: { revenue } })
  const { page, go } = await openSignedIn(service)
  await go('audiences?list=traits')
  await page.getByRole('link', { name: 'Create computed trait' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Spent')
  await page.getByRole('combobox', { name: 'Function' }).selectOption('sum')
  await page.getByLabel('Property').fill('revenue')
  await page.getByLabel('Event name').fill('Order Completed')
  await page.getByText('sum of revenue in Order Completed').waitFor()
  await page.getByText('1 user', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Create computed trait' }).click()
  await page.getByRole('tab', { name: 'Values' }).click()
  await page.getByRole('cell', { name: '12' }).waitFor()
  await page.getByRole('link', { name: 'Explain' }).click()
  await page.getByText('from 2 events').waitFor()
  await expectAccessible(page)
})

test('users are added to a list and removed, and the list is deleted once its name is typed', async () => {
  await using service = await startService()
  await identify(service, 'anna', 'pro')
  const { page, go } = await openSignedIn(service)
  await go('audiences?new=audience')
  await page.getByLabel('Name', { exact: true }).fill('Beta testers')
  await page.getByLabel('Members').selectOption('Manual list')
  await page.getByRole('button', { name: 'Create audience' }).click()
  await page.getByRole('tab', { name: 'List' }).click()
  await page.getByLabel('userIds').fill('anna\nben\nanna')
  await page.getByText('currently 2 users').waitFor()
  await page.getByRole('button', { name: 'Add users' }).click()
  await page.getByRole('cell', { name: 'ben', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Remove ben' }).click()
  await page.getByRole('cell', { name: 'ben', exact: true }).waitFor({ state: 'detached' })
  await expectAccessible(page)
  await page.getByRole('tab', { name: 'Explain' }).click()
  await page.getByLabel('userId').fill('anna')
  await page.keyboard.press('Enter')
  await page.getByText('the user is on the list').waitFor()

  await page.getByRole('tab', { name: 'Settings' }).click()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Delete…' }).click()
  const confirm = page.getByRole('dialog')
  expect(await confirm.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true)
  await confirm.getByRole('textbox').fill('Beta testers')
  await confirm.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No audiences yet').waitFor()
})

test('a viewer sees everything but forbidden actions, and hostile values are shown as text', async () => {
  await using service = await startService()
  await identify(service, HOSTILE_ID, HOSTILE)
  await service.track('m1', { userId: HOSTILE_ID, event: HOSTILE })
  const condition = {
    and: [{ trait: 'plan', op: 'equals', value: HOSTILE }],
  }
  const body = { name: `Evil ${HOSTILE}`, destinationIds: [], condition }
  const { id } = await service.api.call<{ id: string }>('POST', 'audiences', body)
  const { page, go } = await openSignedIn(service, {
    role: 'viewer',
    viewport: { width: 380, height: 700 },
  })
  await go('audiences')
  await page.getByRole('link', { name: 'Evil <img' }).waitFor()
  expect(await page.getByText('New audience').count()).toBe(0)
  expect(await isWithinWidth(page)).toBe(true)
  await expectAccessible(page)
  for (const tab of ['overview', 'values', 'definition', 'settings']) {
    await go(`audiences?audience=${id}&tab=${tab}`)
    await page.getByRole('tablist').waitFor()
    await page
      .getByRole('status')
      .filter({ hasText: 'Loading' })
      .first()
      .waitFor({ state: 'detached' })
    expect(await page.getByRole('button', { name: /Save|Sync now|Delete/ }).count()).toBe(0)
    expect(await isWithinWidth(page), tab).toBe(true)
    await expectAccessible(page)
  }
  await go(`audiences?audience=${id}&tab=explain&user=${encodeURIComponent(HOSTILE_ID)}`)
  await page.getByText('entered this audience').waitFor()
  expect(await isWithinWidth(page)).toBe(true)
  expect(await page.locator('img[src="x"]').count()).toBe(0)
})

test('an unknown audience id shows an error', async () => {
  await using service = await startService()
  const { page, go } = await openSignedIn(service)
  await go('audiences?audience=aud_01m81grcbgedzt0s6b232e4pp8')
  await page.getByRole('alert').getByText('This is not the id of an audience.').waitFor()
})
