import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { exchange } from '@hookline/testing/network/http-exchange'
import { ACCEPTED, startService } from '@hookline/testing/service/running-service'

const CALL_BYTES = 32 * 1024
const REQUEST_BYTES = 544 * 1024

const call = (messageId: string, filler = '') => ({
  type: 'track',
  messageId,
  userId: 'u1',
  event: 'E',
  properties: { filler },
})
const size = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

/** A call with exactly this many bytes of JSON, including two-byte characters. */
function callOf(bytes: number, messageId: string): ReturnType<typeof call> {
  const left = bytes - size(call(messageId))
  return call(messageId, 'é'.repeat(100) + 'x'.repeat(left - 200))
}

/** The JSON of a batch with exactly this many bytes, with 22 calls within the limit of a call. */
function batchOf(bytes: number): string {
  const names = Array.from({ length: 21 }, (_, index) => `m-${index}`)
  const batch = names.map((name) => callOf(25_600, name))
  const rest = bytes - size({ batch: [...batch, call('m-last')] })
  return JSON.stringify({ batch: [...batch, call('m-last', 'x'.repeat(rest))] })
}

describe.concurrent('a single call', () => {
  test('of 32 KiB is accepted, and arrives complete', async () => {
    await using receiver = await openReceiver()
    await using service = await startService()
    await service.createDestination({ urls: [receiver.url] })
    const largest = callOf(CALL_BYTES, 'm-1')
    expect(size(largest)).toBe(32_768)
    expect(await service.send('/v1/track', largest)).toMatchObject({
      status: 200,
      text: '{"success":true}',
    })
    const [request] = await receiver.waitFor(1)
    expect(JSON.parse(request!.body.toString())).toMatchObject({
      properties: largest.properties,
    })
  })

  test('is rejected and not stored if it is one byte over the limit', async () => {
    await using service = await startService()
    const response = await service.send('/v1/track', callOf(CALL_BYTES + 1, 'm-1'))
    expect(response.status).toBe(400)
    expect(JSON.parse(response.text)).toMatchObject({ success: false, code: 'message_too_large' })
    expect(await service.api.listAll('events')).toEqual([])
  })

  test('is measured separately in a batch: one that is too large does not affect other calls', async () => {
    await using receiver = await openReceiver()
    await using service = await startService()
    await service.createDestination({ urls: [receiver.url] })
    const batch = [callOf(CALL_BYTES, 'good'), callOf(CALL_BYTES + 1, 'bad'), call('small')]
    const { status, text } = await service.send('/v1/batch', { batch })
    expect(status).toBe(200)
    expect(JSON.parse(text)).toMatchObject({
      success: true,
      rejected: [{ index: 1, messageId: 'bad', code: 'message_too_large' }],
    })
    await service.endOf('good')
    await service.endOf('small')
    expect(receiver.requests).toHaveLength(2)
  })
})

describe.concurrent('a batch request', () => {
  test('of 544 KiB is accepted, and all its calls arrive', async () => {
    await using receiver = await openReceiver()
    await using service = await startService()
    await service.createDestination({ urls: [receiver.url] })
    const batch = batchOf(REQUEST_BYTES)
    expect(Buffer.byteLength(batch)).toBe(557_056)
    const response = await service.send('/v1/batch', batch)
    expect(response).toMatchObject({ status: 200, text: '{"success":true}' })
    const requests = await receiver.waitFor(22)
    const ids = requests.map(({ body }) => JSON.parse(body.toString()).messageId as string)
    expect(new Set(ids).size).toBe(22)
  })

  test('is rejected completely if it is one byte over the limit, even if compressed', async () => {
    await using service = await startService()
    const response = await exchange(`${service.url}/v1/batch`, {
      headers: { 'X-Write-Key': service.source.writeKey, 'Content-Encoding': 'gzip' },
      body: gzipSync(batchOf(REQUEST_BYTES + 1)),
    })
    expect(response.status).toBe(400)
    expect(JSON.parse(response.text)).toMatchObject({ success: false, code: 'batch_too_large' })
    expect(await service.api.listAll('events')).toEqual([])
  })

  test('of 2,500 calls is accepted, and one of 2,501 is refused', async () => {
    await using service = await startService()
    // Most are duplicates, so that the final check has few events to compare.
    const many = (count: number) => ({
      batch: Array.from({ length: count }, (_, index) => call(`m-${index % 100}`)),
    })
    expect(await service.send('/v1/batch', many(2_500))).toMatchObject({ status: 200 })
    const refused = await service.send('/v1/batch', many(2_501))
    expect(JSON.parse(refused.text)).toMatchObject({ success: false, code: 'too_many_messages' })
    expect(await service.metric(ACCEPTED)).toBe(2_500)
    await service.eventually(async () => {
      expect(await service.api.listAll('events')).toHaveLength(100)
    })
  })
})
