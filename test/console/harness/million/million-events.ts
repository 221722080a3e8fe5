import type { Receiver } from '@hookline/testing/receiver/receiver'
import { MeasuredService } from '@hookline/testing/service/measured-service'
import { fillDatabase } from '@hookline/testing/files/fill-database'
import { multiplyEvents, type EventCopies } from './multiply-events.ts'
import { multiplyProfiles } from './multiply-profiles.ts'
import { multiplyStatistics } from './multiply-statistics.ts'
import { openReceivers, sendRealCalls, type Shop } from './real-calls.ts'

/** CI uses a smaller number. */
export const EVENTS = Number(
  process.env['HOOKLINE_TEST_EVENTS'] ??
    (process.env['HOOKLINE_TEST_SHORT'] === '1' ? 200_000 : 1_000_000),
)

const DAYS_MS = 6 * 24 * 60 * 60 * 1000
/** The number of copies of the forty users in the real calls: 20,000 profiles in total. */
const USER_GROUPS = 500

/**
 * A service with a million events in six days: several hundred real ones, which it received and delivered, and copies of them.
 *
 * It has no alias calls. It has few deletions, replays, audiences and audit log entries, because their number does not grow with events.
 */
export class MillionEvents implements AsyncDisposable {
  readonly service: MeasuredService
  readonly shop: Shop
  readonly #receiver: Receiver

  private constructor(service: MeasuredService, shop: Shop, receiver: Receiver) {
    this.service = service
    this.shop = shop
    this.#receiver = receiver
  }

  static async open(count: number): Promise<MillionEvents> {
    const receiver = await openReceivers()
    const service = new MeasuredService()
    await service.start()
    const shop = await sendRealCalls(service, receiver)
    await service.stop()
    const to = Date.now() - 60_000
    multiply(service.databaseFile, { count, from: to - DAYS_MS, to, userGroups: USER_GROUPS })
    await service.start()
    return new MillionEvents(service, shop, receiver)
  }

  get url(): string {
    return this.service.url
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service[Symbol.asyncDispose]()
    await this.#receiver[Symbol.asyncDispose]()
  }
}

function multiply(file: string, spread: EventCopies): void {
  fillDatabase(file, (db) => {
    const originals = multiplyEvents(db, spread)
    multiplyProfiles(db, { userGroups: spread.userGroups, shift: spread.count })
    multiplyStatistics(db, spread, originals)
  })
}
