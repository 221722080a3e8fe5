import { isSignedWith } from '@hookline/testing/receiver/is-signed-with'
import { type CallFault, callFaults } from './call-faults.ts'
import type { Exchange } from './exchanges.ts'
import { type Delivery, deliveriesOf, type JudgedCall, judgedCalls } from './judged-calls.ts'
import type { Observation } from './observation.ts'
import type { LibraryResult } from './result.ts'
import { SECRET } from './tested-service.ts'

/** The documented request limit. */
const REQUEST_BYTES = 557_056

/** The result of a run, with a description of each fault. */
export interface Judgement {
  readonly result: LibraryResult
  readonly faults: readonly string[]
  /** The errors from the library and the responses, with the number of each, to explain the faults. */
  readonly reports: string
}

export function judge(observed: Observation): Judgement {
  const { library, output, scenario, scenarioName } = observed
  const deliveries = deliveriesOf(observed)
  const calls = judgedCalls(observed, deliveries)
  const count = (is: (call: JudgedCall) => boolean) => calls.filter(is).length
  const stored = calls.filter(({ response }) => response === 'stored')
  const aheadMs = scenario.aheadMs ?? 0
  const result: LibraryResult = {
    language: library.language,
    library: library.name,
    version: library.version,
    scenario: scenarioName,
    made: output.callIds.length,
    stored: stored.length,
    delivered: stored.filter((call) => call.deliveries.length > 0).length,
    declined: stored.filter((call) => isDeclined(call)).length,
    lost: stored.filter((call) => call.deliveries.length === 0 && !isDeclined(call)).length,
    refused: count(({ response }) => response === 'refused'),
    failedPermanently: count(({ response }) => response === 'unknown'),
    duplicates: calls.reduce((sum, call) => sum + Math.max(0, call.deliveries.length - 1), 0),
    verified: deliveries.filter(({ request }) => isSignedWith(SECRET, request, aheadMs)).length,
  }
  return {
    result,
    faults: [
      ...output.faults,
      ...runFaults(observed, result, deliveries),
      ...ofManyCalls(calls.flatMap((call) => callFaults(call, observed))),
    ],
    reports: reportsOf(observed),
  }
}

/** Combines equal faults, and names the first call. */
function ofManyCalls(faults: readonly CallFault[]): string[] {
  const alike = Map.groupBy(faults, ({ fault }) => fault)
  return [...alike].map(([fault, [first, ...others]]) => {
    const more = others.length === 0 ? '' : ` and ${others.length} more`
    return `${first!.id}${more}: ${fault}`
  })
}

function reportsOf({ output, exchanges }: Observation): string {
  const responses = exchanges.map(
    ({ method, path, status, response }) =>
      `${method} ${path}: ${status ?? 'no response'} ${JSON.stringify(response) ?? ''}`,
  )
  const counted = [...Map.groupBy([...output.errors, ...responses], (text) => text)]
  return [
    ...counted.slice(0, 10).map(([text, { length }]) => `${length} × ${text.slice(0, 200)}`),
    output.stderr.slice(0, 2000),
  ].join('\n')
}

/** Whether the service reports the call as declined, and nothing arrived. */
function isDeclined({ deliveries, events }: JudgedCall): boolean {
  return deliveries.length === 0 && events.some(({ outcomes }) => (outcomes['declined'] ?? 0) > 0)
}

function runFaults(
  { library, output, scenario, exchanges, countedUnauthorized }: Observation,
  result: LibraryResult,
  deliveries: readonly Delivery[],
): string[] {
  const { lost, verified, duplicates, stored, declined, delivered } = result
  const lacks = scenario.calls.filter(({ type }) => library.lacks?.includes(type))
  const unauthorized = exchanges.filter(({ status }) => status === 401).length
  const ids = new Set(output.callIds)
  return [
    ...unless(lost === 0, `lost calls that got a 200: ${lost}`),
    ...unless(stored === delivered + declined + lost, 'a call was both delivered and declined'),
    ...unless(
      verified === deliveries.length,
      `deliveries with a valid signature: ${verified} of ${deliveries.length}`,
    ),
    ...unless(duplicates === 0 || scenario.kills === true, `duplicate deliveries: ${duplicates}`),
    ...unless(
      ids.size === output.callIds.length && ids.size === scenario.calls.length - lacks.length,
      `the program made ${ids.size} of ${scenario.calls.length - lacks.length} calls`,
    ),
    ...unless(
      deliveries.every(({ id }) => ids.has(id)),
      'an unknown call arrived',
    ),
    ...(scenario.hasWrongKey === true
      ? unless(stored === 0 && unauthorized > 0, 'calls with an unknown write key were not refused')
      : unless(unauthorized === 0, 'calls with a valid write key were refused')),
    ...sizeFaults(exchanges),
    ...unless(countedUnauthorized >= unauthorized, 'the service has not counted refused requests'),
  ]
}

/** Requests must be refused for their size if they exceed the limit, and only then. */
function sizeFaults(exchanges: readonly Exchange[]): string[] {
  return exchanges
    .filter(({ isToService, status }) => isToService && status !== undefined)
    .filter(
      ({ size, response }) => size > REQUEST_BYTES !== (codeOf(response) === 'batch_too_large'),
    )
    .map(({ size, response }) => `a request of ${size} bytes got ${JSON.stringify(response)}`)
}

function codeOf(response: unknown): unknown {
  return (response as { code?: unknown } | undefined)?.code
}

function unless(isRight: boolean, fault: string): string[] {
  return isRight ? [] : [fault]
}
