import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { ReceivedRequest } from '@hookline/testing/receiver/receiver'
import { judge } from './harness/judge.ts'
import type { Observation } from './harness/observation.ts'
import { SECRET } from './harness/tested-service.ts'
import { NODE_LIBRARIES } from './libraries/node/libraries.ts'

const NOW = Date.now()
const TEXT = new Date(NOW).toISOString()
const CALL = {
  id: 'c',
  type: 'track',
  userId: 'c',
  event: 'E',
  properties: { call: 'c', n: 0.1 },
} as const
const WIRE = { ...CALL, id: undefined, messageId: 'm', timestamp: TEXT, context: { library: 'x' } }
const PAYLOAD = {
  version: 1,
  type: 'track',
  messageId: 'm',
  userId: 'c',
  event: 'E',
  properties: { call: 'c', n: 0.1 },
  context: { library: 'x' },
  timestamp: TEXT,
}

function delivery(payload: object, { id = 'msg_1', secret = SECRET } = {}): ReceivedRequest {
  const text = JSON.stringify(payload)
  const seconds = String(Math.floor(NOW / 1000))
  const standard = createHmac('sha256', secret).update(`${id}.${seconds}.${text}`).digest('base64')
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': `v1,${standard}`,
    'x-signature': createHmac('sha1', secret).update(text).digest('hex'),
  }
  return { method: 'POST', path: '/hook', headers, body: Buffer.from(text) }
}

/** One call without faults, apart from `changes`. */
function observed(changes: Partial<Observation> = {}): Observation {
  return {
    library: NODE_LIBRARIES[0]!,
    scenario: { calls: [CALL], batch: 1 },
    scenarioName: 'single',
    output: { callIds: ['c'], lacks: new Set(), errors: [], faults: [], stderr: '' },
    exchanges: [exchange({ status: 200, response: { success: true } })],
    deliveries: [delivery(PAYLOAD)],
    events: [{ event: PAYLOAD, receivedAt: TEXT, outcomes: { delivered: 1 } }],
    startedAt: NOW - 100,
    endedAt: NOW + 100,
    countedUnauthorized: 0,
    ...changes,
  }
}

function exchange(changes: object): Observation['exchanges'][number] {
  const json = { batch: [WIRE], sentAt: TEXT }
  const request = { method: 'POST', path: '/v1/batch', headers: {}, json, size: 300 }
  return { ...request, isToService: true, status: 200, response: {}, ...changes }
}

describe('the assessment of a run', () => {
  test('finds no fault if a call arrives as it was made', () => {
    const { result, faults } = judge(observed())
    expect(faults).toEqual([])
    expect(result).toMatchObject({ made: 1, stored: 1, delivered: 1, lost: 0, verified: 1 })
  })

  test.each<[string, Partial<Observation>, string]>([
    ['that is lost', { deliveries: [] }, 'lost calls that got a 200: 1'],
    [
      'that arrives with a different value',
      { deliveries: [delivery({ ...PAYLOAD, properties: { call: 'c', n: 0.2 } })] },
      'c: call.properties.n is 0.2, expected 0.1',
    ],
    [
      'that arrives with an extra value',
      { deliveries: [delivery({ ...PAYLOAD, context: { library: 'x', more: 1 } })] },
      'c: wire.context.more is 1, expected missing',
    ],
    [
      'with a different timestamp',
      { deliveries: [delivery({ ...PAYLOAD, timestamp: '2014-12-12T19:04:59.123Z' })] },
      'c: its timestamp differs from the time of the call',
    ],
    [
      'with an invalid signature',
      { deliveries: [delivery(PAYLOAD, { secret: 'another' })] },
      'deliveries with a valid signature: 0 of 1',
    ],
    [
      'that arrives twice',
      { deliveries: [delivery(PAYLOAD), delivery(PAYLOAD)] },
      'duplicate deliveries: 1',
    ],
    [
      'that arrives with two ids',
      { deliveries: [delivery(PAYLOAD), delivery(PAYLOAD, { id: 'msg_2' })] },
      'c: arrived with two webhook-ids',
    ],
    [
      'that its integrations exclude from webhooks',
      { scenario: { calls: [{ ...CALL, integrations: { All: false } }], batch: 1 } },
      'c: arrived, although its integrations exclude webhooks',
    ],
    [
      'that is refused',
      { exchanges: [exchange({ status: 400, response: { code: 'x' } })] },
      'c: got no 200: refused',
    ],
    [
      'of a small request that is refused for its size',
      { exchanges: [exchange({ status: 400, response: { code: 'batch_too_large' } })] },
      'a request of 300 bytes got {"code":"batch_too_large"}',
    ],
    [
      'that is refused and not counted',
      { exchanges: [exchange({ status: 401 })] },
      'the service has not counted refused requests',
    ],
    [
      'that the program did not make',
      { output: { ...observed().output, callIds: [] } },
      'the program made 0 of 1 calls',
    ],
  ])('finds a call %s', (_what, changes, fault) => {
    expect(judge(observed(changes)).faults).toContain(fault)
  })

  test('accepts a duplicate delivery after a kill', () => {
    const scenario = { calls: [CALL], batch: 1, kills: true } as const
    const { result, faults } = judge(
      observed({ scenario, deliveries: [delivery(PAYLOAD), delivery(PAYLOAD)] }),
    )
    expect([result.duplicates, faults]).toEqual([1, []])
  })
})
