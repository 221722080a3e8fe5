import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { eventually } from '@hookline/testing/run/eventually'
import type { Receiver } from '@hookline/testing/receiver/receiver'
import type { RecordingProxy } from '../harness/recording-proxy.ts'
import type { TestedService } from '../harness/tested-service.ts'
import type { Call } from './call.ts'
import { everyCall, largeCalls, TOO_LARGE, tracks } from './calls.ts'
import type { ScenarioName } from './scenario-names.ts'

const HOUR_MS = 60 * 60 * 1000

/** The servers that a scenario runs with. */
interface ScenarioServers {
  readonly service: TestedService
  readonly proxy: RecordingProxy
  readonly receiver: Receiver
}

export interface Scenario {
  readonly calls: readonly Call[]
  /** The maximum number of calls in a request. */
  readonly batch: number
  readonly gzip?: true
  readonly hasWrongKey?: true
  /** How long the program waits after each call. */
  readonly pauseMs?: number
  /** Whether the scenario kills the service, and so needs its own. */
  readonly kills?: true
  /** How far the clock of the service is ahead. */
  readonly aheadMs?: number
  /** The call that must not be delivered. */
  readonly tooLarge?: string
  /** Called before the program starts. */
  readonly before?: (around: ScenarioServers) => void
  /** Called while the program runs. */
  readonly during?: (around: ScenarioServers) => Promise<void>
}

const BATCH = 20

export const SCENARIOS: Readonly<Record<ScenarioName, Scenario>> = {
  single: { calls: everyCall(), batch: 1 },
  batch: { calls: everyCall(), batch: BATCH },
  gzip: { calls: everyCall(), batch: BATCH, gzip: true },
  skew: { calls: everyCall(), batch: BATCH, aheadMs: HOUR_MS },
  'wrong-key': { calls: tracks('call', 5), batch: BATCH, hasWrongKey: true },
  'large-call': { calls: largeCalls(), batch: BATCH, tooLarge: TOO_LARGE },
  'large-batch': { calls: tracks('call', 100, 9_000), batch: 100 },
  outage: {
    calls: tracks('call', 5),
    batch: 1,
    before: ({ proxy }) => proxy.setAvailable(false),
    async during({ proxy }) {
      // Some programs, such as a browser, take seconds to start.
      await eventually(() => expect(proxy.exchanges().length).toBeGreaterThan(0))
      await sleep(1_500)
      proxy.setAvailable(true)
    },
  },
  kill: {
    calls: tracks('call', 250),
    batch: 10,
    pauseMs: 30,
    kills: true,
    async during({ service, proxy, receiver }) {
      await eventually(() => expect(receiver.requests.length).toBeGreaterThanOrEqual(20))
      await service.kill()
      // Connections are refused at first, as before a load balancer notices the failure.
      await sleep(300)
      proxy.setAvailable(false)
      await service.startAgain()
      proxy.setAvailable(true)
    },
  },
}
