import { Analytics, type AnalyticsCalls, ClientClosedError, type EventMap } from '@hookline/client'
import { Recorder } from '@hookline/client/testing'
import { describe, expect, test } from 'vitest'
import { LIBRARY } from '../src/calls/analytics-calls.ts'

/** Application code that accepts the client or the recorder. */
function completeOrder(analytics: AnalyticsCalls<EventMap>): void {
  analytics.track({ userId: 'u1', event: 'Order Completed', properties: { revenue: 39.95 } })
}

describe('the recorder', () => {
  test('keeps calls as the service would receive them', async () => {
    const recorder = new Recorder()
    recorder.identify({ userId: 'u1', timestamp: new Date(0) })
    completeOrder(recorder)
    expect(recorder.calls).toEqual([
      {
        type: 'identify',
        userId: 'u1',
        messageId: expect.any(String),
        timestamp: '1970-01-01T00:00:00.000Z',
        context: { library: LIBRARY },
      },
      expect.objectContaining({ type: 'track', event: 'Order Completed' }),
    ])
    expect(recorder.tracked('Order Completed')).toMatchObject([{ properties: { revenue: 39.95 } }])
    expect(await recorder.flush()).toEqual({ delivered: 2, failed: 0, pending: 0 })
    recorder.clear()
    expect(recorder.calls).toEqual([])
  })

  test('throws the same errors as the client', async () => {
    const recorder = new Recorder()
    expect(() => recorder.track({} as never)).toThrow('no_user_anon_id')
    const properties = { text: 'x'.repeat(32_768) }
    expect(() => recorder.page({ userId: 'u1', properties })).toThrow('message_too_large')
    await recorder.close()
    expect(() => completeOrder(recorder)).toThrow(ClientClosedError)
  })

  test('can be used instead of a client', () => {
    for (const analytics of [new Recorder(), new Analytics('wk_test', { enabled: false })]) {
      completeOrder(analytics)
    }
  })
})
