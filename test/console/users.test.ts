import { expect, test } from 'vitest'
import { startService } from '../harness/running-service.ts'
import { expectAccessible } from './harness/accessible.ts'
import { openSignedIn, useChromium } from './harness/console.ts'

useChromium()

const HOSTILE = 'a/b?c#d%2f <b>\u202e'

test('a user is found, with traits, audiences and events, and the way to why and to its deletion', async () => {
  await using service = await startService()
  await service.send('/v1/identify', {
    userId: HOSTILE,
    anonymousId: 'anon-1',
    traits: { plan: 'pro', '<i>': 'javascript:alert(1)', long: 'x'.repeat(20_000) },
  })
  await service.track('m1', { userId: HOSTILE })
  await service.api.call('POST', 'audiences', {
    name: 'Pros',
    destinationIds: [],
    condition: { trait: 'plan', op: 'equals', value: 'pro' },
  })
  const { page, go } = await openSignedIn(service)
  await go('audiences')
  await page.getByLabel('Find a user').fill(HOSTILE)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'a/b?c#d%2f <b>⟨U+202E⟩' }).waitFor()
  await page.getByText('anon-1').waitFor()
  await page.getByRole('cell', { name: '"javascript:alert(1)"' }).waitFor()
  await page.getByRole('row', { name: 'Pros member' }).waitFor()
  await page.getByRole('link', { name: 'Order Completed' }).waitFor()
  await expectAccessible(page)
  await page.reload()
  await page.getByText('anon-1').waitFor()
  await page.setViewportSize({ width: 380, height: 700 })
  expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(
    true,
  )
  await expectAccessible(page)

  await page.getByRole('link', { name: 'Delete this user' }).click()
  await page.getByRole('dialog', { name: 'Delete users' }).waitFor()
  expect(new URL(page.url()).searchParams.get('userId')).toBe(HOSTILE)
  await page.goBack()
  await page.getByRole('row', { name: 'Pros member' }).getByRole('link').click()
  await page.getByText('belongs to the audience').waitFor()
})

test('without profiles, a user has its events all the same, and a deletion is told', async () => {
  await using service = await startService()
  await service.track('m1', { userId: 'anna' })
  const { page, go } = await openSignedIn(service, { role: 'viewer', colorScheme: 'dark' })
  await go('users/anna')
  await page.getByText('No profiles are kept yet').waitFor()
  await page.getByRole('link', { name: 'Order Completed' }).waitFor()
  expect(await page.getByText('Delete this user').count()).toBe(0)
  await expectAccessible(page)
  await service.api.call('POST', 'deletions', { userIds: ['ben'], suppress: true })
  await go('users/ben')
  await page.getByText('A deletion suppresses the user').waitFor()
  await page.getByText('No stored event has this userId').waitFor()
  await expectAccessible(page)
})
