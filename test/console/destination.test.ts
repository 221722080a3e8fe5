import { expect, test } from 'vitest'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { startService } from '@hookline/testing/service/running-service'
import { expectAccessible } from './harness/accessible.ts'
import { openSignedIn, useChromium } from './harness/console.ts'

useChromium()

test('saving settings keeps hidden header values, and a concurrent change is not lost', async () => {
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
  await page.getByRole('button', { name: 'Save' }).click()
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

test('deliveries of a paused destination are shown as held, and sent when it is resumed', async () => {
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
  await page.getByText('createDestination').waitFor()
})

test('a destination with two spaces in its name is deleted by its id, and an error has a request id to copy', async () => {
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
