import type { Destination } from '@hookline/cli/management-client'
import { verifySignature } from '@hookline/client/verify'
import { expect, test } from 'vitest'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { type RunningService, startService } from '@hookline/testing/service/running-service'
import { expectAccessible } from './harness/accessible.ts'
import { openSignedIn, useChromium } from './harness/console.ts'

useChromium()

test('saving settings keeps hidden header values, and a concurrent change is detected', async () => {
  await using service = await startService()
  await using receiver = await openReceiver()
  const webhooks = [{ url: receiver.url, headers: { Authorization: 'Bearer 1' } }]
  const id = await service.createDestination({ webhooks })
  const { page, go } = await openSignedIn(service)
  await go(`destinations/${id}?tab=settings`)
  await page.getByRole('button', { name: 'Replace the value of Authorization' }).waitFor()
  await page.getByLabel('Name').fill('Mine')
  await service.api.call('PATCH', `destinations/${id}`, { name: 'Theirs' })
  await page.getByText('Someone else changed this destination').waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Keep my changes' }).click()
  await page.getByRole('button', { name: 'Save' }).first().click()
  await page.getByRole('heading', { level: 1, name: 'Mine' }).waitFor()

  await page.getByRole('button', { name: 'Set secret…' }).click()
  await page.getByRole('radio', { name: 'Use my own' }).check()
  await page.getByLabel('My secret').fill('a-secret-of-mine-9876')
  await page.getByRole('button', { name: 'Set secret', exact: true }).click()
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByText('9876', { exact: true }).waitFor()
  await service.track('m1')
  const [request] = await receiver.waitFor(1)
  expect(request!.headers['authorization']).toBe('Bearer 1')
  expect(request!.headers['webhook-signature']).toMatch(/^v1,/)

  await page.getByRole('button', { name: 'Delete destination…' }).click()
  const remove = page.getByRole('button', { name: 'Delete destination', exact: true })
  expect(await remove.isDisabled()).toBe(true)
  await page.getByLabel('Type “Mine” to confirm').fill('Mine')
  await expectAccessible(page)
  await remove.click()
  await page.getByRole('heading', { name: 'No destinations yet' }).waitFor()
})

test('the authentication of a webhook is set, shown as stored, and kept when another field changes', async () => {
  await using service = await startService()
  await using receiver = await openReceiver()
  const id = await service.createDestination({ urls: [receiver.url] })
  const { page, go } = await openSignedIn(service)
  await go(`destinations/${id}?tab=settings`)
  const save = page.getByRole('button', { name: 'Save' }).first()
  await page.getByLabel('Authentication').selectOption('User and password (basic)')
  await page.getByLabel('User', { exact: true }).fill('some:one')
  await page.getByLabel('Password', { exact: true }).fill('a-password')
  await save.click()
  await page.getByText('Use text without colons or control characters.').waitFor()
  await page.getByLabel('User', { exact: true }).fill('someone')
  await save.click()
  await page.getByText('Leave empty to keep the stored value.').waitFor()
  await expectAccessible(page)
  await page.getByLabel('Name').fill('Renamed')
  await page.getByLabel('User', { exact: true }).fill('another')
  await save.click()
  await page.getByRole('heading', { level: 1, name: 'Renamed' }).waitFor()
  await service.track('m1')
  const [request] = await receiver.waitFor(1)
  expect(request!.headers['authorization']).toBe(`Basic ${btoa('another:a-password')}`)
})

test('a webhook secret is kept when the settings are saved, and a key pair signs as well', async () => {
  await using service = await startService()
  await using receiver = await openReceiver()
  const urls = [`${receiver.url}/a`, `${receiver.url}/b`]
  const id = await service.createDestination({ urls, policy: 'each' })
  const { page, go } = await openSignedIn(service)
  await go(`destinations/${id}?tab=settings`)
  await page.getByRole('button', { name: `Set secret… ${urls[1]}` }).click()
  await page.getByRole('button', { name: 'Set secret', exact: true }).click()
  const secret = await page.getByLabel('the secret for this URL', { exact: true }).textContent()
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('button', { name: `Rotate… ${urls[1]}` }).waitFor()
  await page.getByLabel('Name').fill('Renamed')
  await page.getByRole('button', { name: 'Add header' }).first().click()
  await page.getByLabel('Header', { exact: true }).fill('x-team')
  await page.getByLabel('Value', { exact: true }).fill('crm')
  await page.getByRole('button', { name: 'Save' }).first().click()
  await page.getByRole('heading', { level: 1, name: 'Renamed' }).waitFor()

  await page.getByLabel('Requests are signed with').selectOption('both')
  await page.getByRole('button', { name: 'Save signature…' }).click()
  await expectAccessible(page)
  expect(await signatureOf(service, id)).toBe('secret')
  await page.getByRole('button', { name: 'Change signature' }).click()
  const rotate = page.getByRole('button', { name: 'Rotate key…' })
  await rotate.waitFor()
  await expectAccessible(page)
  await service.track('m1')
  await receiver.waitFor(2)
  const signed = (path: string) =>
    receiver.requests.find((request) => request.path.endsWith(path))!.headers['webhook-signature']
  expect(signed('/a')).toMatch(/^v1a,\S+$/)
  expect(signed('/b')).toMatch(/^v1,\S+ v1a,\S+$/)
  const { body, headers } = receiver.requests.find(({ path }) => path.endsWith('/b'))!
  expect(await verifySignature(body, headers, secret!)).toBe(true)

  await rotate.click()
  await page.getByRole('button', { name: 'Rotate key', exact: true }).click()
  await page.getByText('Signs from').waitFor()
  await page.getByText('Signs until').waitFor()
  await rotate.click()
  await page.getByRole('button', { name: 'Rotate key', exact: true }).click()
  await page.getByText('The last rotation ends at').waitFor()
  await page.getByRole('button', { name: 'Rotate anyway' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: `Remove… ${urls[1]}` }).click()
  await page.getByLabel('Type “Renamed” to confirm').fill('Renamed')
  await page.getByRole('button', { name: 'Remove secret' }).click()
  await page.getByRole('button', { name: `Set secret… ${urls[1]}` }).waitFor()
})

async function signatureOf({ api }: RunningService, id: string): Promise<string> {
  return (await api.call<Destination>('GET', `destinations/${id}`)).settings.signature
}

test('deliveries to a paused destination are shown as held, and sent when it is resumed', async () => {
  await using service = await startService()
  await using receiver = await openReceiver()
  const id = await service.createDestination({ urls: [receiver.url] })
  const { page, go } = await openSignedIn(service)
  await go(`destinations/${id}`)
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click()
  await page.getByText('Paused manually.').first().waitFor()
  await service.track('m1')
  await page.getByRole('heading', { name: '1 waiting delivery' }).waitFor()
  await page.getByText('The destination is paused.').waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Resume' }).click()
  await receiver.waitFor(1)
  await page.getByRole('heading', { name: '1 waiting delivery' }).waitFor({ state: 'detached' })
})

test('a webhook that fails most attempts is marked as failing, with the same text as its alert', async () => {
  await using service = await startService()
  await using receiver = await openReceiver({
    respond: ({ body }) => (body.includes('"m0"') ? 200 : 400),
  })
  const id = await service.createDestination({ urls: [receiver.url] })
  const messageIds = Array.from({ length: 10 }, (_, index) => `m${index}`)
  for (const messageId of messageIds) await service.track(messageId)
  for (const messageId of messageIds) await service.endOf(messageId)
  const { page, go, pageErrors } = await openSignedIn(service)
  await go(`destinations/${id}`)
  const webhooks = page.getByRole('region', { name: 'Webhooks' })
  await webhooks.getByText('webhook failing').waitFor()
  expect(await webhooks.getByText('active', { exact: true }).count()).toBe(0)
  await page.getByText('9 of 10 attempts failed in the last hour.').waitFor()
  await expectAccessible(page)
  await go('destinations')
  await page.getByRole('cell', { name: 'webhook failing' }).waitFor()
  expect(pageErrors).toEqual([])
})

test('a replay shows the number of deliveries first, then its progress', async () => {
  await using service = await startService()
  await using receiver = await openReceiver({ respond: [{ status: 400 }, { status: 400 }, 200] })
  const id = await service.createDestination({ urls: [receiver.url] })
  for (const messageId of ['m1', 'm2']) await service.track(messageId)
  for (const messageId of ['m1', 'm2']) await service.endOf(messageId)
  const { page, go } = await openSignedIn(service)
  await go(`destinations/${id}?tab=replay`)
  await page.getByRole('button', { name: 'Count' }).click()
  await page.getByText('2 deliveries selected.').waitFor()
  let recounts = 0
  page.on('request', (request) => {
    if (request.postData()?.includes('"dryRun":true') === true) recounts += 1
  })
  await service.api.call('POST', 'replays', { destinationId: id, states: ['quarantined'] })
  await page.getByRole('cell', { name: /^quarantined/ }).waitFor()
  expect(recounts).toBe(0)
  await page.getByRole('button', { name: 'Start replay' }).click()
  await page.getByText('2 requeued, 2 delivered').waitFor()
  await expectAccessible(page)
  await go(`destinations/${id}?tab=audit`)
  await page.getByText('created destination').waitFor()
})

test('a destination with two spaces in its name is deleted after its id is typed, and an error shows a request id to copy', async () => {
  await using service = await startService()
  const id = await service.createDestination({ urls: ['http://127.0.0.1:4009/'] })
  await service.api.call('PATCH', `destinations/${id}`, { name: 'Two  spaces' })
  const { page, go } = await openSignedIn(service)
  await go(`destinations/${id}?tab=deliveries&delivery=msg_none`)
  await page.getByRole('button', { name: 'Copy the request ID' }).waitFor()
  await go(`destinations/${id}?tab=settings`)
  await page.getByRole('button', { name: 'Delete destination…' }).click()
  await page.getByLabel(`Type “${id}” to confirm`).fill(id)
  await page.getByRole('button', { name: 'Delete destination', exact: true }).click()
  await page.getByRole('heading', { name: 'No destinations yet' }).waitFor()
})

test('invalid limits of a webhook are rejected with a remedy next to their field, and valid ones are shown with its retries', async () => {
  await using service = await startService()
  const id = await service.createDestination({ urls: ['https://crm.example.com/hook'] })
  const { page, go } = await openSignedIn(service)
  await go(`destinations/${id}?tab=settings`)
  await page.getByText('Limits', { exact: true }).click()
  await page.getByText('Default: 5s, from attemptTimeout').waitFor()
  await expectAccessible(page)
  await page.getByLabel('Attempts per second').fill('20')
  await page.getByLabel('Retry window').fill('7d')
  await page.getByRole('button', { name: 'Save', exact: true }).first().click()
  await page.getByText('retryWindow must be shorter than retention, which is 7d.').waitFor()
  await page.getByLabel('Retry window').fill('3d')
  await page.getByLabel('Retry delays').fill('5s, 10h')
  await page.getByRole('button', { name: 'Save', exact: true }).first().click()
  await page.getByText('Failed deliveries are retried for 3 d.').waitFor()
  await page.getByText('Limits for https://crm.example.com/hook.').waitFor()
  await page.getByText(/^last retry \d{4}-\d\d-\d\d /).waitFor()
  const summary = page.getByText('Limits: 20 attempts/s; retry window 3d; retries after 5s, 10h', {
    exact: true,
  })
  await summary.waitFor()
  expect(await page.getByLabel('Retry window').isVisible()).toBe(false)
  const { settings } = await service.api.call<Destination>('GET', `destinations/${id}`)
  expect(settings.webhooks[0]!.limits).toEqual({
    perSecond: 20,
    retryWindow: '3d',
    retrySchedule: ['5s', '10h'],
  })
  await go(`destinations/${id}`)
  await page.getByText('Limits: 20 attempts/s; retry window 3d; retries after 5s, 10h.').waitFor()
  await go(`destinations/${id}?tab=settings`)
  await summary.click()
  await page.getByLabel('Retry window').fill('0s')
  await page.getByRole('button', { name: 'Save', exact: true }).first().click()
  await page.getByText('Failed deliveries are not retried.').waitFor()
})
