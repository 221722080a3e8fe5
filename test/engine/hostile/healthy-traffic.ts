import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'vitest'
import type { MeasuredService } from '../measured-service.ts'

/** What healthy clients see, and what the process takes, while something else goes on. */
interface Traffic {
  /** Of calls that were sent one every 20 ms. */
  readonly callP99Ms: number
  readonly livezMs: number
  readonly residentMb: number
  readonly calls: number
}

const EVERY_MS = 20
/** Below this, twice the usual time is noise of a machine that runs other tests, too. */
const FLOOR_MS = 250
const MOST_LIVEZ_MS = 1_000
const MOST_RESIDENT_MB = 700

/** Measures healthy traffic while the work goes on. */
export async function trafficWhile<T>(
  service: MeasuredService,
  work: Promise<T>,
): Promise<{ readonly traffic: Traffic; readonly result: T }> {
  const over = work.then(() => true)
  // When a sample fails first, nothing awaits it.
  over.catch(() => undefined)
  const callMs: number[] = []
  let livezMs = 0
  let residentMb = 0
  for (let isOver = false; !isOver;) {
    callMs.push(await millisecondsOf(() => service.send(1)))
    livezMs = Math.max(livezMs, await millisecondsOf(() => service.livez()))
    residentMb = Math.max(residentMb, Math.round(service.residentBytes / 2 ** 20))
    isOver = await Promise.race([over, pause(EVERY_MS, false)])
  }
  const callP99Ms = callMs.toSorted((a, b) => a - b)[Math.floor(callMs.length * 0.99)]!
  const traffic = { callP99Ms, livezMs, residentMb, calls: callMs.length }
  return { traffic, result: await work }
}

/** Expects that healthy clients saw little of an attack, and that the process stayed within its limits. */
export function expectUndisturbed(during: Traffic, before: Traffic): void {
  const shown = JSON.stringify({ before, during })
  expect(during.calls, shown).toBeGreaterThan(10)
  expect(during.callP99Ms, shown).toBeLessThanOrEqual(Math.max(FLOOR_MS, 2 * before.callP99Ms))
  expect(during.livezMs, shown).toBeLessThanOrEqual(MOST_LIVEZ_MS)
  expect(during.residentMb, shown).toBeLessThanOrEqual(MOST_RESIDENT_MB)
}

async function millisecondsOf(task: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await task()
  return Math.round(performance.now() - started)
}
