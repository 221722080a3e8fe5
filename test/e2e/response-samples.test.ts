import { expect, it } from 'vitest'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { startService } from '@hookline/testing/service/running-service'

it('the response to the first of two successful attempts is stored, without secrets, until its user is deleted', async () => {
  await using receiver = await openReceiver({
    // The receiver echoes a secret, as some do.
    respond: ({ headers }) => ({
      status: 201,
      headers: { 'x-request-id': 'order-7' },
      body: `created with ${String(headers['x-api-key'])}`,
    }),
  })
  await using service = await startService()
  const webhooks = [{ url: receiver.url, headers: { 'X-Api-Key': 'planted-secret' } }]
  await service.createDestination({ webhooks })
  await service.track('m1', { userId: 'louis' })
  const [first] = (await service.endOf('m1')).deliveries
  await service.track('m2')
  const [second] = (await service.endOf('m2')).deliveries
  expect(first!.attempts).toMatchObject([
    {
      outcome: 'delivered',
      status: 201,
      headers: { 'x-request-id': 'order-7' },
      body: expect.stringMatching(/^created with (?!planted)/),
    },
  ])
  expect(second!.attempts).toMatchObject([{ outcome: 'delivered', status: 201 }])
  expect(second!.attempts[0]).not.toHaveProperty('body')

  await service.restart()
  expect((await service.endOf('m1')).deliveries[0]!.attempts).toEqual(first!.attempts)
  const { id } = await service.api.call<{ id: string }>('POST', 'deletions', { userIds: ['louis'] })
  await service.eventually(async () => {
    const { state } = await service.api.call<{ state: string }>('GET', `deletions/${id}`)
    expect(state).toBe('finished')
  })
  const { data } = await service.api.call<{ data: unknown[] }>('GET', 'deliveries')
  expect(JSON.stringify(data)).not.toContain('created with')
})
