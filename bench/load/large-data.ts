import { join } from 'node:path'
import { multiplyDelivered, multiplyParked } from '../../test/engine/parked/multiply.ts'
import { call } from './calls.ts'
import type { EventReceiver } from './event-receiver.ts'
import { type BenchSource, ServiceProcess } from './service-process.ts'
import { temporaryDataDir } from './temporary-data-dir.ts'

const HOUR = 60 * 60 * 1000

/** The data folder of a stopped service with one source and one destination. */
export interface LargeData extends Disposable {
  readonly path: string
  readonly source: BenchSource
}

export interface Amounts {
  /** The number of pending deliveries, with their events. They are due in half an hour or later. */
  readonly pending: number
  /** How many of the pending deliveries are due immediately instead. */
  readonly due?: number
  /** The number of rows of delivered events: half of them are events, half deliveries. */
  readonly history: number
}

/** Creates the data: the service delivers one call, the first attempt to deliver another fails, and SQL copies both. */
export async function largeData(receiver: EventReceiver, amounts: Amounts): Promise<LargeData> {
  const folder = temporaryDataDir()
  const source = await twoDeliveries(folder.path, receiver)
  const data = { path: folder.path, source, [Symbol.dispose]: () => folder[Symbol.dispose]() }
  addTo(data, amounts)
  return data
}

function addTo({ path }: LargeData, { pending, due = 0, history }: Amounts): void {
  const file = join(path, 'hookline.db')
  const now = Date.now()
  const copies = { count: pending, dueFirst: due, dueAt: now, dueLaterAt: now + HOUR / 2 }
  // History comes last, so that the pending deliveries are added while the database is still small.
  if (pending > 0) mustBe(pending + 1, multiplyParked(file, copies))
  if (history > 0) mustBe(history / 2 + 1, multiplyDelivered(file, history / 2))
}

function mustBe(expected: number, found: number): void {
  if (found !== expected) throw new Error(`Expected ${expected} deliveries, found ${found}.`)
}

async function twoDeliveries(path: string, receiver: EventReceiver): Promise<BenchSource> {
  await using service = await ServiceProcess.start(path)
  const source = await service.addSource(receiver.urlOf('/hook'))
  for (const isRefused of [false, true]) {
    receiver.isRefusing = isRefused
    const arrived = Promise.withResolvers<void>()
    receiver.onEvent = () => arrived.resolve()
    await service.send(source, call())
    await arrived.promise
  }
  receiver.isRefusing = false
  return source
}
