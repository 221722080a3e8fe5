import { join } from 'node:path'
import { multiplyDelivered, multiplyParked } from '../../test/engine/parked/multiply.ts'
import { call } from './calls.ts'
import type { Arrivals } from './passage.ts'
import { type BenchSource, Service, temporaryDataDir } from './service.ts'

const HOUR = 60 * 60 * 1000

/** The data folder of a service that is stopped, with one source and one destination. */
export interface LargeData extends Disposable {
  readonly path: string
  readonly source: BenchSource
}

export interface Amounts {
  /** Deliveries that wait for a next attempt, with their events; due in an hour and later. */
  readonly pending: number
  /** Of the pending ones, those that are due at once. */
  readonly due?: number
  /** Events that were delivered, with their deliveries: half of these are events, half deliveries. */
  readonly history: number
}

/** Made by the service itself from two calls, one delivered and one refused, and then copied in SQL. */
export async function largeData(arrivals: Arrivals, amounts: Amounts): Promise<LargeData> {
  const folder = temporaryDataDir()
  const source = await twoDeliveries(folder.path, arrivals)
  const data = { path: folder.path, source, [Symbol.dispose]: () => folder[Symbol.dispose]() }
  addTo(data, amounts)
  return data
}

function addTo({ path }: LargeData, { pending, due = 0, history }: Amounts): void {
  const file = join(path, 'hookline.db')
  const now = Date.now()
  const copies = { count: pending, dueFirst: due, dueAt: now, dueLaterAt: now + HOUR }
  // History last: what it adds to is then small, and its indexes are made once.
  if (pending > 0) mustBe(pending + 1, multiplyParked(file, copies))
  if (history > 0) mustBe(history / 2 + 1, multiplyDelivered(file, history / 2))
}

function mustBe(expected: number, found: number): void {
  if (found !== expected) throw new Error(`There are ${found} deliveries instead of ${expected}.`)
}

async function twoDeliveries(path: string, arrivals: Arrivals): Promise<BenchSource> {
  await using service = await Service.start(path)
  const source = await service.addSource(arrivals.urlOf('/hook'))
  for (const isRefused of [false, true]) {
    arrivals.isRefusing = isRefused
    const arrived = Promise.withResolvers<void>()
    arrivals.onEvent = () => arrived.resolve()
    await service.send(source, call())
    await arrived.promise
  }
  arrivals.isRefusing = false
  return source
}
