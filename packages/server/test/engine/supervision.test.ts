import { expect, test } from 'vitest'
import type { Lease, Leases } from '../../src/backend/nodes.ts'
import { withLease } from '../../src/engine/supervision.ts'
import type { Worker } from '../../src/util/workers/worker.ts'

/** Grants leases on request. */
class ManualLeases implements Leases {
  readonly granted: { readonly lost: AbortController; isGivenUp: boolean }[] = []
  #waiting: (() => void)[] = []

  give(): void {
    for (const resolve of this.#waiting.splice(0)) resolve()
  }

  async acquire(_name: string, signal: AbortSignal): Promise<Lease | undefined> {
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve)
      signal.addEventListener('abort', () => resolve())
      if (signal.aborted) resolve()
    })
    if (signal.aborted) return undefined
    const granted = { lost: new AbortController(), isGivenUp: false }
    this.granted.push(granted)
    return {
      lost: granted.lost.signal,
      [Symbol.asyncDispose]: async () => void (granted.isGivenUp = true),
    }
  }
}

/** Runs until its signal aborts, and records when each run begins and ends. */
function untilAborted(runs: string[]): Worker {
  return {
    name: 'retention',
    run: async (signal) => {
      runs.push('begins')
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      runs.push('ends')
    },
  }
}

test('a worker runs while its node has the lease, and waits for the next lease when it is lost', async () => {
  const leases = new ManualLeases()
  const runs: string[] = []
  const stop = new AbortController()
  const running = withLease(untilAborted(runs), 'retention', leases).run(stop.signal)
  expect(runs).toEqual([])
  leases.give()
  await expect.poll(() => runs).toEqual(['begins'])
  leases.granted[0]!.lost.abort()
  await expect.poll(() => [runs, leases.granted[0]!.isGivenUp]).toEqual([['begins', 'ends'], true])
  leases.give()
  await expect.poll(() => runs).toEqual(['begins', 'ends', 'begins'])
  stop.abort()
  await running
  expect(leases.granted[1]!.isGivenUp).toBe(true)
})

test('a worker that fails releases its lease, so that another node can take over', async () => {
  const leases = new ManualLeases()
  const failing: Worker = {
    name: 'replays',
    run: () => Promise.reject(new Error('simulated failure')),
  }
  const running = withLease(failing, 'replays', leases).run(new AbortController().signal)
  leases.give()
  await expect(running).rejects.toThrow('simulated failure')
  expect(leases.granted[0]!.isGivenUp).toBe(true)
})
