import { expect, test } from 'vitest'
import { startService } from '@hookline/testing/service/running-service'
import { expectAccessible } from './harness/accessible.ts'
import { openSignedIn, useChromium } from './harness/console.ts'

useChromium()

const HOSTILE = 'a/b?c#d%2f <b>\u202e'

test('a user page shows traits, audiences, events, an explanation and a link to delete the user', async () => {
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
  await go('users')
  await page.getByLabel('userId, anonymousId or email').fill(HOSTILE)
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'a/b?c#d%2f <b>⟨U+202E⟩' }).click()
  await page.getByRole('heading', { level: 1, name: 'a/b?c#d%2f <b>⟨U+202E⟩' }).waitFor()
  await page.getByRole('region', { name: 'Linked ids' }).getByText('anon-1').waitFor()
  await page.getByRole('cell', { name: '"javascript:alert(1)"' }).waitFor()
  await page.getByRole('row', { name: 'Pros member' }).waitFor()
  await page.getByRole('link', { name: 'Order Completed' }).waitFor()
  await expectAccessible(page)
  await page.reload()
  await page.getByRole('region', { name: 'Linked ids' }).getByText('anon-1').waitFor()
  await page.setViewportSize({ width: 380, height: 700 })
  expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(
    true,
  )
  await expectAccessible(page)

  await page.getByRole('link', { name: 'Delete user' }).click()
  await page.getByRole('dialog', { name: 'Delete users' }).waitFor()
  expect(new URL(page.url()).searchParams.get('userId')).toBe(HOSTILE)
  await page.goBack()
  await page.getByRole('row', { name: /^Pros/ }).getByRole('link').click()
  await page.getByText('entered this audience').waitFor()
})

test('a search does not report “No matches” while email addresses are being indexed', async () => {
  await using service = await startService()
  const { page, go } = await openSignedIn(service)
  let indexed: number | undefined = 0.4
  await page.route('**/api/v1/profiles?**', async (route) => {
    const response = await route.fetch()
    const body = (await response.json()) as object
    await route.fulfill({ json: indexed === undefined ? body : { ...body, indexed } })
  })
  await go('users?search=ada%40example.com')
  await page.getByText('Results are incomplete: 40% of the profiles are indexed so far.').waitFor()
  expect(await page.getByText('No matches').count()).toBe(0)
  indexed = undefined
  await page.getByText('No matches').waitFor()
})

test('facts about a user are shown while the pointer rests on the id, until Escape is pressed', async () => {
  await using service = await startService()
  await service.api.call('POST', 'audiences', {
    name: 'Pros',
    destinationIds: [],
    condition: { trait: 'plan', op: 'equals', value: 'pro' },
  })
  await service.send('/v1/identify', { userId: HOSTILE, traits: { plan: 'pro' } })
  await service.track('m1', { userId: HOSTILE })
  await service.endOf('m1')
  const { page, go, pageErrors } = await openSignedIn(service)
  await go('events')
  const id = page.getByText('a/b?c#d%2f <b>⟨U+202E⟩').first()
  const card = page.getByRole('tooltip')
  await id.hover()
  await card.getByText('Pros').waitFor()
  await card.getByText('pro', { exact: true }).waitFor()
  await card.click()
  await expectAccessible(page)
  await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor()
  await page.keyboard.press('Escape')
  await card.waitFor({ state: 'detached' })
  await page.getByRole('heading', { level: 1 }).hover()
  await id.hover()
  await card.waitFor()
  await page.getByRole('heading', { level: 1 }).hover()
  await card.waitFor({ state: 'detached' })
  expect(pageErrors).toEqual([])
})

test('facts and the profile of a user come from the space of the source', async () => {
  await using service = await startService()
  const source = await service.api.call<{ id: string; writeKeys: { key: string }[] }>(
    'POST',
    'sources',
    { name: 'Shop', space: 'shop' },
  )
  await service.api.call('POST', 'audiences', {
    name: 'Shoppers',
    space: 'shop',
    destinationIds: [],
    condition: { trait: 'plan', op: 'exists' },
  })
  const identify = { userId: 'anna', traits: { plan: 'pro' } }
  await service.send('/v1/identify', identify, {
    id: source.id,
    writeKey: source.writeKeys[0]!.key,
  })
  const { page, go, pageErrors } = await openSignedIn(service)
  await go('events')
  await page.getByRole('link', { name: 'identify', exact: true }).waitFor()
  await page.getByText('anna').last().hover()
  await page.getByRole('tooltip').getByText('Shoppers').waitFor()
  await page.getByRole('link', { name: 'identify', exact: true }).click()
  await page.getByRole('link', { name: 'Open profile' }).click()
  await page.waitForURL('**/users/anna?space=shop')
  await page.getByRole('row', { name: 'Shoppers member' }).waitFor()
  expect(pageErrors).toEqual([])
})

test('a search for an email address shows the user, or, without profiles, a link to the events', async () => {
  await using service = await startService()
  const identify = { userId: 'cus_7', traits: { email: 'ada@example.com' } }
  await service.send('/v1/identify', identify)
  const { page, go, pageErrors } = await openSignedIn(service)
  await go('users?search=ada@example.com')
  await page.getByRole('link', { name: 'Find events containing “ada@example.com”' }).click()
  await page.getByRole('link', { name: 'cus_7' }).waitFor()
  await service.api.call('POST', 'audiences', {
    name: 'Everyone',
    destinationIds: [],
    condition: { trait: 'email', op: 'exists' },
  })
  await service.eventually(async () => {
    const profile = await service.api.call<{ userIds: string[] }>('GET', 'profile?userId=cus_7')
    expect(profile.userIds).toEqual(['cus_7'])
  })
  await go('users?search=ada@example.com')
  await page.getByRole('link', { name: 'cus_7' }).waitFor()
  // Repeating the search finds a user added in the meantime.
  await service.send('/v1/identify', { ...identify, userId: 'cus_8' })
  await service.eventually(() => service.api.call('GET', 'profile?userId=cus_8'))
  await page.getByRole('button', { name: 'Find' }).click()
  await page.getByRole('link', { name: 'cus_8' }).waitFor()
  expect(pageErrors).toEqual([])
})

test('without a profile, the user page shows events and deletions', async () => {
  await using service = await startService()
  await service.track('m1', { userId: 'anna' })
  const { page, go, pageErrors } = await openSignedIn(service, {
    role: 'viewer',
    colorScheme: 'dark',
  })
  await go('users/anna')
  await page.getByText('No profiles exist yet').waitFor()
  await page.getByRole('link', { name: 'Order Completed' }).waitFor()
  expect(await page.getByText('Delete user').count()).toBe(0)
  await expectAccessible(page)
  await service.api.call('POST', 'deletions', { userIds: ['ben'], suppress: true })
  await go('users/ben')
  await page.getByText('Suppressed in all sources since').waitFor()
  await page.getByText('No stored event has this userId').waitFor()
  await expectAccessible(page)
  expect(pageErrors).toEqual([])
})

test('a deletion without suppression is shown with a link, during and after the purge', async () => {
  await using service = await startService()
  await service.track('m1', { userId: 'carl' })
  await service.endOf('m1')
  const { page, go } = await openSignedIn(service, { role: 'viewer' })
  await go('users/carl')
  await page.getByRole('link', { name: 'Order Completed' }).waitFor()
  // A real purge of one user is too fast to observe.
  let isRunning = true
  await page.route(/\/deletions\/del_\w+$/, async (route) => {
    const response = await route.fetch()
    const deletion = (await response.json()) as object
    const running = { ...deletion, state: 'running', purgedAt: null }
    await route.fulfill({ response, json: isRunning ? running : deletion })
  })
  const { id } = await service.api.call<{ id: string }>('POST', 'deletions', { userIds: ['carl'] })
  await page
    .getByText('Deleting this user’s events, profile data and audience memberships')
    .waitFor()
  isRunning = false
  await page
    .getByText('This user’s events, profile data and audience memberships were deleted')
    .waitFor()
  await page.getByText('No stored event has this userId').waitFor()
  await expectAccessible(page)
  await service.track('m2', { userId: 'carl' })
  await page.getByRole('link', { name: 'Order Completed' }).waitFor()
  await page
    .getByText('This user’s events, profile data and audience memberships were deleted')
    .waitFor()
  await page.getByRole('link', { name: 'View deletion' }).click()
  await page.waitForURL(new RegExp(`privacy\\?deletion=${id}`))
  // The page polls the deletion while the service restarts.
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  // The final check would report the deleted event as missing; a restart resets its counters.
  await service.restart()
})
