import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { MeasuredService } from '@hookline/testing/service/measured-service'
import type { HostileClients } from './hostile-clients.ts'
import { measureAgain } from '@hookline/testing/run/measure-again'

/** Response times for healthy clients and resource usage of the process during an attack. */
export interface AttackMeasurement {
  readonly residentMiB: number
  readonly livezMs: number
  readonly callMs: number
  readonly callP99Ms: number
  /** The number of calls of healthy clients, all with a 200. */
  readonly calls: number
  readonly eventLoopP99Ms: number
  readonly eventLoopMaxMs: number
}

interface MeasuredUnder extends AttackMeasurement {
  /** The number of attackers' connections that the service has not closed. */
  readonly openConnections: number
}

export interface AttackOptions {
  readonly service: MeasuredService
  /** The minimum duration of the measurement. */
  readonly seconds: number
  /** The time limit for the service to close the connections. By default, they may stay open. */
  readonly maxSeconds?: number
}

const EVERY_MS = 20

const LIMITS: Readonly<Partial<AttackMeasurement>> = {
  residentMiB: 700,
  livezMs: 1_000,
  callMs: 2_000,
  eventLoopP99Ms: 250,
  eventLoopMaxMs: 1_000,
}

/** Expects that the service stayed within its limits and served healthy clients. */
export function expectHealthy(measured: AttackMeasurement): void {
  expect(exceededBy(measured), JSON.stringify(measured)).toEqual([])
  expect(measured.calls).toBeGreaterThan(10)
}

function exceededBy(measured: AttackMeasurement): readonly unknown[] {
  return Object.entries(LIMITS).filter(
    ([name, max]) => measured[name as keyof AttackMeasurement] > max,
  )
}

/** On a busy machine, such delays occur even without an attack. Without the limits under test, calls took seconds. */
const MIN_P99_MS = 300

/**
 * Expects that the p99 of calls is at most twice the p99 without the attack, or at most 300 ms
 * longer.
 */
export function expectAsFast(measured: AttackMeasurement, undisturbed: AttackMeasurement): void {
  const before = undisturbed.callP99Ms
  expect(measured.callP99Ms, JSON.stringify({ measured, undisturbed })).toBeLessThanOrEqual(
    Math.max(2 * before, before + MIN_P99_MS),
  )
}

/**
 * Opens the hostile clients, and measures until the service has closed their connections. Repeats this with new clients while a
 * limit is exceeded and rounds are left.
 */
export function measureUnder(
  attack: () => Promise<HostileClients>,
  options: AttackOptions,
): Promise<MeasuredUnder> {
  return measureAgain(
    () => measureOnce(attack, options),
    (measured) => exceededBy(measured).length > 0,
  )
}

async function measureOnce(
  attack: () => Promise<HostileClients>,
  { service, seconds, maxSeconds = 0 }: AttackOptions,
): Promise<MeasuredUnder> {
  await service.load(1)
  await using attackers = new AsyncDisposableStack()
  const { measured, result } = await measureWhile(service, async () => {
    const started = performance.now()
    const elapsed = (): number => (performance.now() - started) / 1000
    const clients = attackers.use(await attack())
    await sleep(seconds * 1000)
    while (clients.openConnections > 0 && elapsed() < maxSeconds) await sleep(100)
    return clients.openConnections
  })
  return { ...measured, openConnections: result }
}

/** Measures while the work runs. */
export async function measureWhile<T>(
  service: MeasuredService,
  work: () => Promise<T>,
): Promise<{ readonly measured: AttackMeasurement; readonly result: T }> {
  // Resets the measurement.
  await service.eventLoop()
  const peak = { residentMiB: 0, livezMs: 0 }
  const callsMs: number[] = []
  const stop = new AbortController()
  const sample = repeat(stop.signal, async () => {
    peak.residentMiB = Math.max(peak.residentMiB, Math.round(service.residentBytes / 2 ** 20))
    peak.livezMs = Math.max(peak.livezMs, await millisecondsOf(() => service.livez()))
  })
  const send = repeat(stop.signal, async () => {
    callsMs.push(await millisecondsOf(() => service.send(1)))
  })
  const [result] = await Promise.all([work().finally(() => stop.abort()), sample, send])
  callsMs.sort((a, b) => a - b)
  const measured = {
    ...peak,
    callMs: callsMs.at(-1)!,
    callP99Ms: callsMs[Math.ceil(callsMs.length * 0.99) - 1]!,
    calls: callsMs.length,
    ...(await service.eventLoop()),
  }
  return { measured, result }
}

async function repeat(signal: AbortSignal, task: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await task()
    await sleep(EVERY_MS)
  }
}

async function millisecondsOf(task: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await task()
  return Math.round(performance.now() - started)
}
