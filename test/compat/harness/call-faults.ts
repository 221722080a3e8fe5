import { differences } from './differences.ts'
import { payloadOfCall, payloadOfWire } from './expected-payload.ts'
import type { JudgedCall } from './judged-calls.ts'
import type { Observation } from './observation.ts'
import { timestampFaults } from './timestamp-faults.ts'

type Integrations = Readonly<Record<string, unknown>>

export interface CallFault {
  /** The id of the call. */
  readonly id: string
  readonly fault: string
}

/** The faults of one call: missing, unexpected, delivered under two ids, or with different values. */
export function callFaults(judged: JudgedCall, observed: Observation): CallFault[] {
  const { call, deliveries } = judged
  const isWanted = wantsWebhooks(call.integrations ?? {})
  const faults = [
    ...responseFaults(judged, observed),
    ...(!isWanted && deliveries.length > 0
      ? ['arrived, although its integrations exclude webhooks']
      : []),
    ...(new Set(deliveries.map(({ webhookId }) => webhookId)).size > 1
      ? ['arrived with two webhook-ids']
      : []),
    ...valueFaults(judged, observed),
  ]
  return faults.map((fault) => ({ id: call.id, fault }))
}

/** Every call must get a 200, unless the scenario or the library prevents it. */
function responseFaults(
  { call, response }: JudgedCall,
  { library, scenario, scenarioName }: Observation,
) {
  if (scenario.hasWrongKey === true) return []
  if (call.id === scenario.tooLarge) return response === 'stored' ? ['was stored'] : []
  // The downtime of a killed service depends on the machine; how long a library retries does not.
  const mayDropCalls = library.dropsCallsIn?.[scenarioName] !== undefined || scenario.kills === true
  return response === 'stored' || mayDropCalls ? [] : [`got no 200: ${response}`]
}

function valueFaults(
  { call, wire, deliveries, events }: JudgedCall,
  observed: Observation,
): string[] {
  const [first] = deliveries
  if (first === undefined) return []
  const { payload } = first
  const sent = wire.find(({ response }) => response === 'stored') ?? wire[0]
  if (sent === undefined) return ['arrived, although it was not on the wire']
  const { version, type, messageId, timestamp, ...values } = payload
  return [
    ...differences({ version: 1, type: call.type }, { version, type }),
    ...(typeof messageId === 'string' && messageId !== '' ? [] : ['has no messageId']),
    ...differences(payloadOfCall(call), payload, { mayHaveMore: true, at: 'call' }),
    ...differences(payloadOfWire(sent, payload), values, { at: 'wire' }),
    ...timestampFaults({ call, sent, receivedAt: events[0]?.receivedAt, timestamp }, observed),
  ]
}

/** A boolean or an options object decides; other values are ignored. `All` is the default for destinations that are not named. */
function wantsWebhooks(integrations: Integrations): boolean {
  const settingOf = (name: string): boolean | undefined => {
    const value = integrations[name]
    if (typeof value === 'boolean') return value
    return typeof value === 'object' && value !== null ? true : undefined
  }
  return settingOf('Webhooks') ?? settingOf('All') ?? settingOf('all') ?? true
}
