import { BUILT_IN_SOURCE_ID, type Destination } from '@hookline/protocol'
import { type AlertStates, SUMMARIZED_CHANNELS } from '../backend/alert-states.ts'
import type { Catalog } from '../backend/catalog.ts'
import type { Log } from '../backend/log.ts'
import type { Nodes } from '../backend/nodes.ts'
import type { ActivityListener } from '../telemetry/activity-listener.ts'
import type { Clock } from '../util/time/clock.ts'
import { sleep } from '../util/time/sleep.ts'
import type { Worker } from '../util/workers/worker.ts'
import { type Alert, alertEvent } from './alert-event.ts'
import {
  type ActiveAlert,
  activeAlerts,
  type AlertState,
  byUrgency,
  type Ending,
  isRemovable,
  isWithinLimits,
  nextState,
  parseStates,
  wasReportedSince,
  summaryFor,
  withDueAlert,
  withoutFuture,
} from './alert-states.ts'
import type { ConditionName } from './conditions.ts'
import { findingsIn } from './current-problems.ts'
import type { FactsCollector } from './facts-collector.ts'
import type { Finding } from './findings.ts'

const EVERY_MS = 5_000
const HOUR_MS = 60 * 60_000

interface AlertWatcherOptions {
  readonly facts: Pick<FactsCollector, 'collect' | 'lastDeliveredAt'>
  readonly catalog: Pick<Catalog, 'current'>
  readonly alertStates: AlertStates
  readonly nodes: Pick<Nodes, 'current'>
  readonly log: Pick<Log, 'append'>
  readonly activity: Pick<ActivityListener, 'received'>
  readonly clock: Clock
  /** Precedes the paths of links. */
  readonly consoleUrl: string
}

/**
 * Compares the conditions with the stored states every few seconds, and appends an alert event for
 * each change that is due. The change is stored with its event, the event is appended, and then the
 * event is removed from the state: after a crash, it is appended again with the same messageId, which
 * the log drops. Does nothing without a channel that receives alerts.
 */
export class AlertWatcher implements Worker {
  readonly name = 'alerts'
  readonly #options: AlertWatcherOptions

  constructor(options: AlertWatcherOptions) {
    this.#options = options
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (this.#hasChannel()) await this.#check()
      await sleep(this.#options.clock, EVERY_MS, signal)
    }
  }

  #channels(): Destination[] {
    const channels = this.#options.catalog.current.destinationsBySource.get(BUILT_IN_SOURCE_ID)
    return (channels ?? []).filter(({ enabled }) => enabled)
  }

  /** Whether a channel receives alerts. Without one, alerts would be marked as reported but never delivered. */
  #hasChannel(): boolean {
    return this.#channels().some(
      ({ paused, settings }) =>
        paused === null && settings.webhooks.some((webhook) => webhook.paused === undefined),
    )
  }

  async #check(): Promise<void> {
    const { facts, alertStates, clock, consoleUrl } = this.#options
    const documents = await alertStates.all()
    const stored = parseStates(documents)
    await this.#send(stored)
    const collected = await facts.collect()
    // Only admins may see descriptions, and everyone who can read a channel sees alerts.
    const corruptions = collected.corruptions.map(({ foundAt }) => ({ foundAt }))
    const active = activeAlerts(
      findingsIn({ ...collected, corruptions, checks: {} }).filter((each) =>
        this.#isReported(each),
      ),
      consoleUrl,
    )
    const now = clock.wall()
    const states = new Map<string, AlertState>()
    for (const key of new Set([...stored.keys(), ...active.keys()])) {
      const known = stored.get(key)
      const before = known && withoutFuture(known, now)
      const ending = before === undefined ? 'unknown' : this.#endingOf(before, now)
      const next = nextState(before, active.get(key), { now, ending })
      if (next !== undefined) states.set(key, next)
    }
    const due = withDueAlerts(states, active, now)
    await this.#store(stored, due, now)
    await this.#send(due)
    const reported = [...due].flatMap(([key, state]) =>
      state.isActive && stored.get(key)?.reported === 'start' ? state : [],
    )
    await this.#summarize(documents.get(SUMMARIZED_CHANNELS), reported, now)
  }

  /**
   * Sends new channels one alert about the problems that were `reported` before. The alert is appended before the channels are stored: a
   * repeated append has the same messageId.
   */
  async #summarize(
    stored: string | undefined,
    reported: readonly AlertState[],
    now: number,
  ): Promise<void> {
    const { alertStates, consoleUrl } = this.#options
    const channels = this.#channels()
    const ids = JSON.stringify(channels.map(({ id }) => id).toSorted())
    if (ids === stored) return
    // The first channels get every problem as an alert.
    const known = new Set(JSON.parse(stored ?? ids) as string[])
    const added = channels.filter(({ id }) => !known.has(id))
    const summary = added.length > 0 && summaryFor(added, reported, { now, consoleUrl })
    if (summary) await this.#append([summary])
    await alertStates.put(new Map([[SUMMARIZED_CHANNELS, ids]]))
  }

  /** Whether a finding may lead to an alert. A failing channel raises no alert about itself. */
  #isReported({ subject: { kind, id } }: Finding): boolean {
    const { destinations } = this.#options.catalog.current
    return kind !== 'destination' || destinations.get(id)?.sourceId !== BUILT_IN_SOURCE_ID
  }

  #endingOf({ condition, userId, changedAt }: AlertState, now: number): Ending {
    const { catalog, facts, nodes } = this.#options
    if (condition === 'node_lost')
      return nodes.current.some(({ id, isAlive }) => id === userId && isAlive) ? 'ended' : 'removed'
    if (!OF_DESTINATIONS.has(condition)) return 'ended'
    const destination = catalog.current.destinations.get(userId)
    if (destination === undefined || !destination.enabled) return 'removed'
    if (condition === 'certificate_expiring') return 'ended'
    // A pause of the destination hides the states of its webhooks.
    if (destination.paused !== null) return 'unknown'
    if (condition !== 'webhook_failing') return 'ended'
    // Only a delivery since the last change, such as the end of a pause, shows that the destination works.
    const since = Math.max(changedAt, Math.min(destination.updatedAt, now)) - MINUTE_MS
    return (facts.lastDeliveredAt(userId) ?? -Infinity) >= since ? 'ended' : 'unknown'
  }

  async #store(
    before: ReadonlyMap<string, AlertState>,
    states: ReadonlyMap<string, AlertState>,
    now: number,
  ): Promise<void> {
    const changed = [...states].filter(([key, state]) => before.get(key) !== state)
    const removable = [...states].filter(([, state]) => isRemovable(state, now))
    await this.#put([
      ...changed.map(([key, state]) => [key, state] as const),
      ...removable.map(([key]) => [key, null] as const),
    ])
  }

  /** Appends the unsent events, and then marks them as sent. */
  async #send(states: Map<string, AlertState>): Promise<void> {
    const unsent = [...states].filter(([, state]) => state.unsent !== undefined)
    if (unsent.length === 0) return
    await this.#append(unsent.map(([, { unsent: alert }]) => alert!))
    const sentStates = unsent.map(([key, { unsent: _, ...state }]) => [key, state] as const)
    for (const [key, state] of sentStates) states.set(key, state)
    await this.#put(sentStates)
  }

  async #append(alerts: readonly Alert[]): Promise<void> {
    const { log, activity, clock } = this.#options
    const now = clock.wall()
    const events = alerts.map((alert) => alertEvent(alert, now))
    await log.append(events)
    activity.received(events)
  }

  async #put(states: readonly (readonly [key: string, state: AlertState | null])[]): Promise<void> {
    if (states.length === 0) return
    const documents = states.map(([key, state]) => [key, state && JSON.stringify(state)] as const)
    await this.#options.alertStates.put(new Map(documents))
  }
}

const MINUTE_MS = 60_000

/** Conditions whose end is reported, but not as a recovery if the destination was deleted or disabled. */
const OF_DESTINATIONS: ReadonlySet<ConditionName> = new Set([
  'webhook_failing',
  'webhook_paused',
  'certificate_expiring',
])

/** Adds the due alerts to the states, within the overall limits. */
function withDueAlerts(
  states: ReadonlyMap<string, AlertState>,
  active: ReadonlyMap<string, ActiveAlert>,
  now: number,
): Map<string, AlertState> {
  let reported = [...states.values()].filter((state) =>
    wasReportedSince(state, now - HOUR_MS),
  ).length
  const sorted = [...states].toSorted(([, a], [, b]) => byUrgency(a, b))
  return new Map(
    sorted.map(([key, state]) => {
      const isAllowed = isWithinLimits(state, reported)
      const next = withDueAlert(key, state, { now, isAllowed, active: active.get(key) })
      if (next.reportedAt !== state.reportedAt) reported += 1
      return [key, next]
    }),
  )
}
