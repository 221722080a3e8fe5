import { expect, it } from 'vitest'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { exchange, type ReceivedResponse } from '@hookline/testing/network/http-exchange'
import { startService } from '@hookline/testing/service/running-service'

it('responses stored for an Idempotency-Key no longer show a user who was deleted', async () => {
  // The receiver echoes requests, as some do.
  await using receiver = await openReceiver({
    respond: ({ body }) => ({ status: 400, body: body.toString() }),
  })
  await using service = await startService()
  const destination = await service.createDestination({ urls: [receiver.url] })
  await service.track('m1', { userId: 'louis', properties: { name: 'PLANTED-NAME' } })
  const { id: eventId, deliveries } = await service.endOf('m1')

  const post = (path: string, body: object): Promise<ReceivedResponse> =>
    exchange(`${service.url}/api/v1/${path}`, {
      headers: {
        'Content-Type': 'application/json',
        Authorization: `Bearer ${service.token}`,
        'Idempotency-Key': path,
      },
      body: JSON.stringify(body),
    })
  const requests: readonly (readonly [string, object])[] = [
    [`destinations/${destination}/test`, { eventId }],
    [`deliveries/${deliveries[0]!.id}/retry`, {}],
    ['replays', { destinationId: destination, from: '2020-01-01T00:00:00Z', text: 'PLANTED-NAME' }],
  ]
  for (const [path, body] of requests) {
    const { status, text } = await post(path, body)
    expect(status, text).toBeLessThan(300)
    expect(text, path).toContain('PLANTED-NAME')
  }
  await service.eventually(async () => {
    const { data } = await service.api.call<{ data: { state: string }[] }>('GET', 'replays')
    expect(data).toMatchObject([{ state: 'finished' }])
  })
  await service.endOf('m1')
  const before = receiver.requests.length
  const { id } = await service.api.call<{ id: string }>('POST', 'deletions', { userIds: ['louis'] })
  await service.eventually(async () => {
    const { state } = await service.api.call<{ state: string }>('GET', `deletions/${id}`)
    expect(['finished', 'partial']).toContain(state)
  })
  for (const [path, body] of requests) {
    const { status, text } = await post(path, body)
    expect([status, (JSON.parse(text) as { code: string }).code]).toEqual([
      409,
      'response_not_stored',
    ])
    expect(text).not.toMatch(/PLANTED-NAME|louis/)
  }
  // Only the notice was sent: no request ran a second time.
  expect(receiver.requests.length).toBe(before + 1)
  await service.restart()
})
