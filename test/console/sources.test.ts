import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { exchange } from '@hookline/testing/network/http-exchange'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { startService } from '@hookline/testing/service/running-service'
import { expectAccessible } from './harness/accessible.ts'
import { openSignedIn, useChromium } from './harness/console.ts'
import { expectNoHorizontalScroll, NARROW } from './harness/narrow.ts'

useChromium()

const run = promisify(execFile)
const HOSTILE = `\u202e<img src=x onerror=alert(1)>\u001b[31m${'W'.repeat(150)}`

test('a source is created, and the event sent by the command next to its write key arrives', async () => {
  await using service = await startService()
  const { page, go } = await openSignedIn(service)
  await go('sources')
  await page.getByRole('button', { name: 'New source' }).click()
  await page.getByLabel('Name').fill('Shop, web')
  await page.keyboard.press('Enter')
  const created = page.getByRole('dialog', { name: 'Shop, web is ready' })
  const key = await created.getByText(/^wk_/).first().innerText()
  const command = await created.getByLabel('the code for cURL', { exact: true }).innerText()
  expect(command).toContain(key)
  await expectAccessible(page)
  const { stdout } = await run('sh', ['-c', command])
  expect(stdout).toBe('{"success":true}')
  for (const name of [
    '@hookline/client',
    '@segment/analytics-node',
    'analytics.js',
    'Go',
    'Python',
  ])
    await created.getByRole('tab', { name, exact: true }).click()
  expect(await created.getByLabel('the code for Python', { exact: true }).innerText()).toContain(
    key,
  )
  expect(new URL(page.url()).searchParams.get('code')).toBe('python')
  await created.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('button', { name: 'Shop, web' }).waitFor()
  const { data } = await service.api.call<{ data: object[] }>('GET', 'events')
  expect(data).toMatchObject([{ event: { event: 'Order Completed' } }])
})

test('a source whose events are not delivered is marked until it has an enabled destination', async () => {
  await using service = await startService()
  await using receiver = await openReceiver()
  await service.track('m1')
  const { page, go } = await openSignedIn(service)
  await go('sources')
  const row = page.getByRole('row').nth(1)
  await row.getByText('No enabled destination').waitFor()
  const id = await service.createDestination({ urls: [receiver.url] })
  await row.getByText('Enabled').waitFor()
  await service.api.call('PATCH', `destinations/${id}`, { enabled: false })
  await row.getByText('No enabled destination').waitFor()
})

test('the volumes are still shown after another page was visited', async () => {
  await using service = await startService()
  await service.track('m1')
  const { page, pageErrors, go } = await openSignedIn(service)
  await go('sources')
  const volume = page.getByRole('img', { name: 'Received in the last 24 hours: 1' })
  await volume.waitFor()
  const pages = page.getByRole('navigation', { name: 'Pages' })
  await pages.getByRole('link', { name: 'Users' }).click()
  await page.getByRole('heading', { name: 'Users', level: 1 }).waitFor()
  await pages.getByRole('link', { name: 'Sources' }).click()
  await volume.waitFor()
  expect(pageErrors).toEqual([])
})

test('a custom address of the ingestion API is remembered, if it is valid', async () => {
  await using service = await startService()
  const { page, go } = await openSignedIn(service)
  await go(`sources?source=${service.source.id}`)
  await page.getByRole('button', { name: 'Use another address' }).click()
  const address = page.getByLabel('Address of the ingestion API')
  await address.fill('javascript:alert(1)')
  await page.getByText('Enter a URL such as').waitFor()
  await expectAccessible(page)
  await address.fill('https://events.example.com/')
  await page.keyboard.press('Enter')
  const code = page.getByLabel('the code for cURL', { exact: true })
  await code.getByText('https://events.example.com/v1/track').waitFor()
  await page.reload()
  await code.getByText('https://events.example.com/v1/track').waitFor()
})

test('a write key is added, the old one is deleted once its last characters are typed, and calls with it are refused', async () => {
  await using service = await startService()
  const { id, writeKey } = service.source
  await service.track('m1')
  const { page, go } = await openSignedIn(service)
  await go(`sources?source=${id}`)
  await page.getByRole('button', { name: 'Add write key' }).click()
  const remove = page.getByRole('button', { name: /^Delete write key/ })
  await expect.poll(() => remove.count()).toBe(2)
  await page.getByRole('button', { name: `Delete write key ${writeKey}` }).click()
  const confirm = page.getByRole('dialog', { name: 'Delete this write key?' })
  await confirm.getByText('Last used').waitFor()
  await expectAccessible(page)
  const button = confirm.getByRole('button', { name: 'Delete write key' })
  expect(await button.isDisabled()).toBe(true)
  await confirm.getByLabel(/^Type/).fill(writeKey.slice(-6))
  await button.click()
  await confirm.waitFor({ state: 'hidden' })
  await expect.poll(() => remove.count()).toBe(1)
  const call = { userId: 'u1', event: 'E' }
  expect(await service.send('/v1/track', call)).toMatchObject({ status: 401 })
})

test('settings can be changed, and errors are shown next to their fields', async () => {
  await using service = await startService()
  const { id } = service.source
  const { page, go } = await openSignedIn(service)
  await go(`sources?source=${id}&tab=settings`)
  await page.getByLabel('Space').fill('NOT A SPACE')
  await page.getByText('The change applies to new events only').waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').waitFor()
  expect(await page.getByLabel('Space').getAttribute('aria-invalid')).toBe('true')
  await expectAccessible(page)
  await page.getByLabel('Space').fill('test')
  await page.getByLabel('Rate limit').fill('many')
  expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
  await page.getByLabel('Rate limit').fill('100')
  await page.getByLabel('Name').fill('Renamed')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('dialog', { name: 'Renamed' }).waitFor()
  await page.getByRole('button', { name: 'Disable source…' }).click()
  await page.getByRole('button', { name: 'Disable source', exact: true }).click()
  await page.getByRole('button', { name: 'Enable source' }).waitFor()
  expect(await service.api.call('GET', `sources/${id}`)).toMatchObject({
    name: 'Renamed',
    rateLimit: 100,
    space: 'test',
    enabled: false,
  })
  await page.getByRole('button', { name: 'Enable source' }).click()
  await page.getByRole('button', { name: 'Disable source…' }).waitFor()
})

test('the fields that a source drops or hashes are entered as JSON', async () => {
  await using service = await startService()
  const { id } = service.source
  const { page, go } = await openSignedIn(service)
  await go(`sources?source=${id}&tab=settings`)
  const [rules, save] = [
    page.getByLabel('Fields to drop or hash'),
    page.getByRole('button', { name: 'Save' }),
  ]
  await rules.fill('drop context.ip')
  await page.getByText('Enter a JSON object.').waitFor()
  expect(await save.isDisabled()).toBe(true)
  await rules.fill('{"drop": ["userId"]}')
  await save.click()
  await page.getByText('This rule cannot apply to userId.').waitFor()
  await rules.fill('{"drop": ["context.ip"], "hash": [{"path": "traits.email"}]}')
  await save.click()
  await page.getByText('Source saved.').waitFor()
  await expect.poll(() => rules.inputValue()).toContain('"set": true')
  expect(await service.api.call('GET', `sources/${id}`)).toMatchObject({
    fields: { drop: ['context.ip'], hash: [{ path: 'traits.email' }], salt: { set: true } },
  })
  await rules.fill('')
  await save.click()
  await expect
    .poll(async () => service.api.call('GET', `sources/${id}`))
    .not.toHaveProperty('fields')
})

test('a source is deleted once its name is typed, with the destinations that the dialog lists', async () => {
  await using service = await startService()
  const url = 'http://127.0.0.1:4801/hook'
  await service.createDestination({ urls: [url] })
  const { page, go } = await openSignedIn(service)
  await go(`sources?source=${service.source.id}&tab=settings`)
  await page.getByRole('button', { name: 'Delete source…' }).click()
  const confirm = page.getByRole('dialog', { name: 'Delete Test?' })
  await confirm.getByText('This destination will also be deleted').waitFor()
  await confirm.getByLabel('Type “Test” to confirm').fill('Test')
  await confirm.getByRole('button', { name: 'Delete source' }).click()
  await page.getByText('No sources yet').waitFor()
  await expectAccessible(page)
  expect(await service.api.listAll('destinations')).toEqual([])
})

test('a long list has a filter and keyboard navigation, and shows hostile names as text, even on a narrow screen', async () => {
  await using service = await startService()
  for (const name of [HOSTILE, ...Array.from({ length: 120 }, (_, index) => `Source ${index}`)])
    await service.api.call('POST', 'sources', { name })
  const { page, go, pageErrors } = await openSignedIn(service, { colorScheme: 'dark' })
  await go('sources')
  await page.getByText('⟨U+202E⟩<img src=x').waitFor()
  await expectAccessible(page)
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  const drawer = page.getByRole('dialog', { name: /^⟨U\+202E⟩<img src=x/ })
  await drawer.waitFor()
  await page.setViewportSize(NARROW)
  await expectNoHorizontalScroll(page)
  await expectAccessible(page)
  await drawer.getByRole('tab', { name: 'Settings' }).click()
  await drawer.getByRole('button', { name: 'Delete source…' }).click()
  await page.getByLabel(/^Type “src_/).waitFor()
  await expectNoHorizontalScroll(page)
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await drawer.waitFor({ state: 'hidden' })
  await page.keyboard.press('/')
  await page.keyboard.type('source 11')
  await expect.poll(() => page.getByRole('row').count()).toBe(12)
  await expectNoHorizontalScroll(page)
  expect(new URL(page.url()).searchParams.get('filter')).toBe('source 11')
  expect(pageErrors.filter((each) => !each.includes('status of 400'))).toEqual([])
})

test('a source shows its received events, and the page shows why calls were refused, with the remedy', async () => {
  await using service = await startService()
  await service.track('m1')
  const unknown = { headers: { authorization: `Basic ${btoa('wk_none:')}` }, body: '{}' }
  await exchange(`${service.url}/v1/track`, unknown)
  // Counts are flushed once a minute, and when the service stops.
  await service.restart()
  const { page, go } = await openSignedIn(service)
  await go('sources')
  await page.getByRole('img', { name: 'Received in the last 24 hours: 1' }).waitFor()
  await page.getByText('Use the write key of an existing source.').waitFor()
  await page.getByRole('button', { name: 'Test' }).click()
  await page.getByRole('tab', { name: 'Calls' }).click()
  await page.getByRole('figure', { name: /1 received/ }).waitFor()
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await expectAccessible(page)
  }
  await page.getByLabel('Period').selectOption('7d')
  await page.getByRole('figure', { name: /Last 7 days: 1 received/ }).waitFor()
  await page.setViewportSize(NARROW)
  await expectNoHorizontalScroll(page)
})

test('a viewer sees keys and calls, but no forbidden actions', async () => {
  await using service = await startService()
  const { page, go } = await openSignedIn(service, { role: 'viewer' })
  await go(`sources?source=${service.source.id}&tab=settings`)
  const drawer = page.getByRole('dialog', { name: 'Test' })
  await drawer.getByText(service.source.writeKey).first().waitFor()
  for (const name of [/^Remove/, /^Add write key/, /^Delete/, /^Disable/, /^Save/])
    expect([name, await page.getByRole('button', { name }).count()]).toEqual([name, 0])
  expect(await drawer.getByRole('tab', { name: 'Settings' }).count()).toBe(0)
  await page.keyboard.press('Escape')
  await go('sources?new=1')
  await page.getByRole('button', { name: 'Test' }).waitFor()
  expect(await page.getByRole('button', { name: 'New source' }).count()).toBe(0)
  expect(await page.getByRole('dialog').count()).toBe(0)
})
