import { expect, test } from 'vitest'
import { startService } from '@hookline/testing/service/running-service'
import { expectAccessible } from './harness/accessible.ts'
import { openConsole, openSignedIn, useChromium } from './harness/console.ts'

useChromium()

test('a sign-in link opens a session that survives a reload, and is removed from the address', async () => {
  await using service = await startService()
  const { page, pageErrors } = await openSignedIn(service)
  await page.waitForURL(`${service.url}/console/get-started`)
  expect(await page.evaluate('document.cookie')).toBe('')
  await page.reload()
  await page.getByRole('heading', { level: 1, name: 'Get started' }).waitFor()
  expect(pageErrors).toEqual([])
})

test('a used sign-in link shows an explanation and how to get a new one', async () => {
  await using service = await startService()
  const { path } = await service.api.call<{ path: string }>('POST', 'sign-in-links', {})
  for (const expected of ['Get started', 'Sign in to Hookline']) {
    const { page } = await openConsole(service.url)
    await page.goto(service.url + path)
    await page.getByRole('heading', { level: 1, name: expected }).waitFor()
    if (expected === 'Get started') continue
    await page.getByRole('alert').getByText('hookline console').waitFor()
    expect(page.url()).not.toContain('#')
    await expectAccessible(page)
  }
})

test('a sign-in link also works in a tab that shows the sign-in page', async () => {
  await using service = await startService()
  const { page, go } = await openConsole(service.url)
  await go('sign-in')
  await page.getByRole('heading', { level: 1, name: 'Sign in to Hookline' }).waitFor()
  const { path } = await service.api.call<{ path: string }>('POST', 'sign-in-links', {})
  await page.goto(service.url + path)
  await page.getByRole('heading', { level: 1, name: 'Get started' }).waitFor()
})

test('signing in with a token opens the requested page', async () => {
  await using service = await startService()
  const { page, go } = await openConsole(service.url)
  await go('?since=1h')
  await page.getByLabel('Token').fill('tok_wrong')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').waitFor()
  await page.getByLabel('Token').fill(service.token)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(`${service.url}/console/?since=1h`)
})

test.for(['//evil.example', '/\\evil.example', 'https://evil.example', 'javascript:alert(1)'])(
  'signing in never leads to another site: %s',
  async (to) => {
    await using service = await startService()
    const { page, go } = await openConsole(service.url)
    await go(`sign-in?to=${encodeURIComponent(to)}`)
    await page.getByLabel('Token').fill(service.token)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { level: 1, name: 'Get started' }).waitFor()
    await page.waitForURL(`${service.url}/console/get-started`)
  },
)

test('signing out shows the sign-in page', async () => {
  await using service = await startService()
  const { page } = await openSignedIn(service)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { level: 1, name: 'Sign in to Hookline' }).waitFor()
})

test('/ redirects a browser to the console', async () => {
  await using service = await startService()
  const { page } = await openConsole(service.url)
  await page.goto(service.url)
  await page.getByRole('heading', { level: 1, name: 'Sign in to Hookline' }).waitFor()
})
