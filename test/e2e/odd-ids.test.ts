import { describe, expect, it } from 'vitest'
import { randomBytes } from 'node:crypto'
import { OpenapiClient } from '@hookline/testing/api/openapi-client'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { type RunningService, startService } from '@hookline/testing/service/running-service'

const HALF = '\ud83d'

/** Ids of different users that a careless comparison would confuse. The first of each pair is deleted. */
const PAIRS: readonly (readonly [string, deleted: string, kept: string])[] = [
  ['in a dot', '..', '.'],
  ['in path segments that are normalised away', '.', ''.padEnd(3, '.')],
  ['in Unicode normalisation', 'ame\u0301lie', 'am\u00e9lie'],
  ['in case', 'ADA', 'ada'],
  ['in spaces', 'ada ', 'ada'],
  ['in the last of 5,000 characters', `${'x'.repeat(5_000)}1`, `${'x'.repeat(5_000)}2`],
]

async function deleteUser(service: RunningService, userId: string): Promise<void> {
  const body = { userIds: [userId], suppress: true }
  const { id } = await service.api.call<{ id: string }>('POST', 'deletions', body)
  await service.eventually(async () => {
    const deletion = await service.api.call('GET', `deletions/${id}`)
    expect(deletion).toMatchObject({ state: 'finished', userIds: [userId] })
  })
}

const shownIds = async (service: RunningService, userId: string): Promise<string[]> => {
  const query = new URLSearchParams({ userId })
  const { data } = await service.api.call<{ data: { event: { messageId: string } }[] }>(
    'GET',
    `events?${query.toString()}`,
  )
  return data.map(({ event }) => event.messageId)
}

describe('users with ids that differ only', () => {
  it.for(PAIRS)('%s are different users', async ([, deleted, kept]) => {
    await using receiver = await openReceiver()
    await using service = await startService()
    await service.createDestination({ urls: [receiver.url] })
    await service.track('m1', { userId: deleted })
    await service.track('m2', { userId: kept })
    await service.endOf('m1')
    await service.endOf('m2')
    await deleteUser(service, deleted)
    expect(await shownIds(service, deleted)).toEqual([])
    expect(await shownIds(service, kept)).toEqual(['m2'])
    // The suppression survives a restart.
    await service.restart()
    await service.track('m3', { userId: deleted })
    await service.track('m4', { userId: kept })
    await service.endOf('m4')
    expect((await shownIds(service, kept)).toSorted()).toEqual(['m2', 'm4'])
    expect(await shownIds(service, deleted)).toEqual([])
    const ofUser = `suppressions?${new URLSearchParams({ userId: deleted }).toString()}`
    expect(await service.api.call('GET', ofUser)).toMatchObject({ data: [{ userId: deleted }] })
    expect(await service.api.request('DELETE', ofUser)).toMatchObject({ status: 204 })
    await service.track('m5', { userId: deleted })
    await service.endOf('m5')
    expect(await shownIds(service, deleted)).toEqual(['m5'])
    const bodies = receiver.requests.map(({ body }) => JSON.parse(body.toString()) as object)
    expect(bodies).toContainEqual({
      type: 'delete',
      userId: deleted,
      timestamp: expect.any(String),
    })
  })
})

/** Operations whose response is a stream. */
const STREAMS = ['watch', 'getBackup']

describe('an impossible id', () => {
  it.for([
    ['U+0000', '\0'],
    ['U+0000 after a prefix', 'evt_\0'],
    ['many characters', randomBytes(4_000).toString('hex')],
  ] as const)(
    '(%s) is refused or not found by every operation of the management API',
    async ([, id]) => {
      await using service = await startService()
      const client = await OpenapiClient.of(service.url, service.token)
      const failed: string[] = []
      const send = async (operationId: string, input: object): Promise<void> => {
        const { status } = (await client.send(operationId, input)).response
        if (status >= 500) failed.push(`${operationId} ${Object.keys(input).join()}: ${status}`)
      }
      for (const [operationId, { parameters = [] }] of client.operations) {
        if (STREAMS.includes(operationId)) continue
        const inPath = parameters
          .filter((each) => each.in === 'path')
          .map(({ name }) => [name, 'x'])
        for (const { name } of parameters.filter((each) => each.in !== 'header'))
          await send(operationId, { parameters: { ...Object.fromEntries(inPath), [name]: id } })
      }
      const destinationIds = [id]
      const settings = { webhooks: [{ url: 'https://receiver.example/' }] }
      const bodies = {
        createSource: { name: id.slice(0, 100) },
        createDestination: { sourceId: id, type: 'Webhooks', enabled: true, settings },
        createReplay: { destinationId: id },
        createDeletion: { userIds: [id], suppress: true },
        createToken: { name: id.slice(0, 100), role: 'viewer' },
        createAudience: { name: id.slice(0, 100), destinationIds, manual: true },
      }
      for (const [operationId, body] of Object.entries(bodies)) await send(operationId, { body })
      expect(failed).toEqual([])
    },
  )
})

describe('a control character', () => {
  it('in an id is accepted in a deletion, because earlier versions stored such ids', async () => {
    await using service = await startService()
    await service.track('m1', { userId: 'u' })
    await service.endOf('m1')
    await deleteUser(service, 'u\0')
    expect(await shownIds(service, 'u')).toEqual(['m1'])
    const ofUser = `suppressions?${new URLSearchParams({ userId: 'u\0' }).toString()}`
    expect(await service.api.call('GET', ofUser)).toMatchObject({ data: [{ userId: 'u\0' }] })
    const path = `suppressions/${encodeURIComponent('u\0')}`
    expect(await service.api.request('DELETE', path)).toMatchObject({ status: 204 })
  })
})

describe('a lone surrogate', () => {
  it('in an id is refused with id_not_unicode, and the other calls in the batch are stored', async () => {
    await using service = await startService()
    const call = { type: 'track', event: 'E' }
    const batch = [
      { ...call, messageId: 'm1', userId: `ada${HALF}` },
      { ...call, messageId: 'm2', userId: 'ada' },
      { ...call, messageId: `m3${HALF}`, userId: 'ada' },
    ]
    const { status, text } = await service.send('/v1/batch', { batch })
    expect(status).toBe(200)
    expect(JSON.parse(text)).toMatchObject({
      rejected: [
        { index: 0, messageId: 'm1', code: 'id_not_unicode' },
        { index: 2, code: 'id_not_unicode' },
      ],
    })
    await service.endOf('m2')
    expect(await shownIds(service, 'ada')).toEqual(['m2'])
    const deletion = await service.api.request('POST', 'deletions', { userIds: [`ada${HALF}`] })
    expect(deletion.status).toBe(422)
    expect(JSON.parse(deletion.text)).toMatchObject({
      code: 'invalid_body',
      errors: [{ pointer: '/userIds/0', code: 'not_unicode' }],
    })
  })

  it('anywhere else is delivered and shown unchanged', async () => {
    await using receiver = await openReceiver()
    await using service = await startService()
    await service.createDestination({ urls: [receiver.url] })
    const sent = {
      event: `cut ${HALF}`,
      properties: { [`${HALF}key`]: `\0 and \ude00${HALF}`, '': ['\0', HALF] },
      context: { page: { title: HALF } },
    }
    await service.track('m1', sent)
    const [request] = await receiver.waitFor(1)
    expect(JSON.parse(request!.body.toString())).toMatchObject(sent)
    expect((await service.endOf('m1')).event).toMatchObject(sent)
    await service.restart()
    expect((await service.trace('m1')).event).toMatchObject(sent)
  })
})
