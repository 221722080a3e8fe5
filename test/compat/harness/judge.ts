import { isSignedWith } from '../../harness/is-signed-with.ts'
import { callFaults } from './call-faults.ts'
import { type Delivery, deliveriesOf, type JudgedCall, judgedCalls } from './judged-calls.ts'
import type { Observed } from './observed.ts'
import type { Result } from './result.ts'
import { SECRET } from './tested-service.ts'

/** What a run came to, and a sentence for everything that is not as it should be. */
export interface Judgement {
  readonly result: Result
  readonly faults: readonly string[]
}

export function judge(observed: Observed): Judgement {
  const { library, said, scenario, scenarioName } = observed
  const deliveries = deliveriesOf(observed)
  const calls = judgedCalls(observed, deliveries)
  const count = (is: (call: JudgedCall) => boolean) => calls.filter(is).length
  const stored = calls.filter(({ response }) => response === 'stored')
  const aheadMs = scenario.aheadMs ?? 0
  const result: Result = {
    language: library.language,
    library: library.name,
    version: library.version,
    scenario: scenarioName,
    made: said.made.length,
    stored: stored.length,
    delivered: stored.filter((call) => call.deliveries.length > 0).length,
    declined: stored.filter((call) => isDeclined(call)).length,
    lost: stored.filter((call) => call.deliveries.length === 0 && !isDeclined(call)).length,
    refused: count(({ response }) => response === 'refused'),
    givenUp: count(({ response }) => response === 'unknown'),
    duplicates: calls.reduce((sum, call) => sum + Math.max(0, call.deliveries.length - 1), 0),
    verified: deliveries.filter(({ request }) => isSignedWith(SECRET, request, aheadMs)).length,
  }
  return {
    result,
    faults: [
      ...said.faults,
      ...runFaults(observed, result, deliveries),
      ...calls.flatMap((call) => callFaults(call, observed)),
    ],
  }
}

/** The service says so, and nothing arrived. */
function isDeclined({ deliveries, events }: JudgedCall): boolean {
  return deliveries.length === 0 && events.some(({ outcomes }) => (outcomes['declined'] ?? 0) > 0)
}

function runFaults(
  { library, said, scenario, exchanges, countedUnauthorized }: Observed,
  result: Result,
  deliveries: readonly Delivery[],
): string[] {
  const { lost, verified, duplicates, stored, declined, delivered } = result
  const lacks = scenario.calls.filter(({ type }) => library.lacks?.includes(type))
  const unauthorized = exchanges.filter(({ status }) => status === 401).length
  const ids = new Set(said.made)
  return [
    ...unless(lost === 0, `${lost} calls that got a 200 are lost`),
    ...unless(stored === delivered + declined + lost, 'a call was delivered and declined'),
    ...unless(verified === deliveries.length, `of ${deliveries.length}, ${verified} are signed`),
    ...unless(duplicates === 0 || scenario.kills === true, `${duplicates} came twice`),
    ...unless(
      ids.size === said.made.length && ids.size === scenario.calls.length - lacks.length,
      `the program made ${ids.size} of ${scenario.calls.length - lacks.length} calls`,
    ),
    ...unless(
      deliveries.every(({ id }) => ids.has(id)),
      'something arrived that was not called',
    ),
    ...(scenario.hasWrongKey === true
      ? unless(stored === 0 && unauthorized > 0, 'calls with a wrong key were not refused')
      : unless(unauthorized === 0, 'calls with the right key were refused')),
    ...unless(countedUnauthorized >= unauthorized, 'the service has not counted what it refused'),
  ]
}

function unless(isRight: boolean, fault: string): string[] {
  return isRight ? [] : [fault]
}
