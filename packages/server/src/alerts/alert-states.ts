import { createHash } from 'node:crypto'
import { formatTimestamp } from '@hookline/protocol'
import { LAST_BACKUP } from '../backend/alert-states.ts'
import type { Alert } from './alert-event.ts'
import { bySeverity, type Condition, type ConditionName, CONDITIONS } from './conditions.ts'
import type { Finding } from './findings.ts'

const HOUR_MS = 60 * 60_000

/** Alerts about all subjects together in an hour. Further ones are held back, the worst ones last. */
export const MAX_ALERTS_PER_HOUR = 30

/** How long these conditions must apply before the alert: the first retry often succeeds, and further calls are counted. */
const ALERT_DELAY_MS = 15_000
const DELAYED_CONDITIONS: ReadonlySet<ConditionName> = new Set([
  'webhook_failing',
  'calls_refused',
  'write_key_unknown',
  'rate_limit_exceeded',
])

/** What the alerts about one condition of one subject have reported. Times are in milliseconds since the epoch. */
export interface AlertState {
  readonly condition: ConditionName
  readonly userId: string
  readonly isActive: boolean
  /** When it last became active or inactive. */
  readonly changedAt: number
  /** What was reported last; `null` before the first alert. */
  readonly reported: 'start' | 'end' | null
  /** When the last start was reported. */
  readonly reportedAt: number | null
  /** Starts since then that were not reported. */
  readonly heldBack: number
  /** The findings of the last start, for the event. */
  readonly last: Alert['properties'] & { readonly name: string }
  /** Stored before it is appended to the log, and removed after: a repeated append has the same messageId. */
  readonly unsent?: Alert
}

/** What the watcher needs to know about a condition that applies now. */
export interface ActiveAlert {
  readonly condition: ConditionName
  readonly userId: string
  readonly properties: AlertState['last']
}

/** The alerts that apply now, by key. One for each condition of each subject. Links begin with `consoleUrl`. */
export function activeAlerts(
  findings: readonly Finding[],
  consoleUrl: string,
): Map<string, ActiveAlert> {
  const alerting = findings.filter(({ condition }) => CONDITIONS[condition].events !== null)
  const groups = Map.groupBy(alerting, alertKey)
  return new Map(
    [...groups].map(([key, [first, ...others]]) => [
      key,
      activeAlert(key, [first!, ...others], consoleUrl),
    ]),
  )
}

/** A destination has one alert for each condition: a detail may contain a URL, which must not be stored in plain text. */
function alertKey({ condition, subject: { kind, id }, detail }: Finding): string {
  return `${condition} ${kind} ${id} ${kind === 'destination' ? '' : detail}`.trimEnd()
}

function activeAlert(
  key: string,
  findings: readonly [Finding, ...Finding[]],
  consoleUrl: string,
): ActiveAlert {
  const [{ condition, subject, title, remedy, since, count, to }] = findings
  const failure = findings.find((each) => each.class !== undefined)
  const host = findings.find((each) => each.host !== undefined)?.host
  return {
    condition,
    userId: subject.id || 'hookline',
    properties: {
      key,
      condition,
      severity: CONDITIONS[condition].severity,
      name: subject.name,
      ...(host !== undefined && { host }),
      ...(failure?.class !== undefined && { class: failure.class }),
      count,
      since: since === null ? null : formatTimestamp(since),
      title,
      remedy: failure?.remedy ?? remedy,
      link: `${consoleUrl}${to}`,
    },
  }
}

/**
 * How a condition that no longer applies ended. `unknown`: there is no evidence, for example after a restart, so it still counts.
 * `silent`: its subject was deleted, disabled or paused, so nothing has recovered.
 */
export type Ending = 'ended' | 'silent' | 'unknown'

/** The state after a check of the condition at `now`. `active` is absent while it does not apply. */
export function nextState(
  before: AlertState | undefined,
  active: ActiveAlert | undefined,
  { now, ending }: { readonly now: number; readonly ending: Ending },
): AlertState | undefined {
  if (before === undefined) {
    if (active === undefined) return undefined
    const { condition, userId, properties: last } = active
    const none = { reported: null, reportedAt: null, heldBack: 0 } as const
    return { condition, userId, isActive: true, changedAt: now, ...none, last }
  }
  if (active !== undefined)
    return before.isActive
      ? before
      : { ...before, isActive: true, changedAt: now, last: active.properties }
  if (!before.isActive || ending === 'unknown') return before
  const ended = { ...before, isActive: false, changedAt: now }
  if (ending === 'silent') return { ...ended, reported: 'end', heldBack: 0 }
  const wasHeld = before.reported !== 'start' && now - before.changedAt >= delayMsOf(before)
  return { ...ended, heldBack: before.heldBack + (wasHeld ? 1 : 0) }
}

function delayMsOf({ condition }: AlertState): number {
  return DELAYED_CONDITIONS.has(condition) ? ALERT_DELAY_MS : 0
}

interface Due {
  readonly now: number
  /** Whether the limit of all alerts allows one more. */
  readonly isAllowed: boolean
  /** The current ones, if the condition applies. */
  readonly properties: AlertState['last'] | undefined
}

/**
 * The state with the alert that is due at `now`, if any: a start at most once an hour, its end once, and after an hour the number of
 * starts that were held back.
 */
export function withDueAlert(key: string, state: AlertState, due: Due): AlertState {
  const { isActive, reported, heldBack, unsent } = state
  if (unsent !== undefined) return state
  if (!isActive && reported === 'start') return withEnd(key, state, due.now)
  const isWaiting = isActive ? reported !== 'start' : heldBack > 0
  if (!isWaiting || !mayReport(state, due)) return state
  const last = due.properties ?? state.last
  return reporting(key, { ...state, last }, isActive ? 'start' : 'end', due.now)
}

function withEnd(key: string, state: AlertState, now: number): AlertState {
  const { events }: Condition = CONDITIONS[state.condition]
  if (events?.end !== undefined) return reporting(key, state, 'end', now)
  return { ...state, reported: 'end' }
}

function mayReport(state: AlertState, { now, isAllowed }: Due): boolean {
  const { isActive, changedAt, reportedAt } = state
  if (!isAllowed || (reportedAt !== null && now - reportedAt < HOUR_MS)) return false
  return !isActive || now - changedAt >= delayMsOf(state)
}

function reporting(key: string, state: AlertState, what: 'start' | 'end', now: number): AlertState {
  const { condition, userId, changedAt, heldBack, last } = state
  const { events }: Condition = CONDITIONS[condition]
  const unsent: Alert = {
    messageId: messageIdOf(key, what, changedAt),
    event: (what === 'end' && events?.end) || events!.start,
    userId,
    properties: {
      ...last,
      ...(what === 'end' && events?.end !== undefined && recoveryOf(last)),
      state: what === 'start' ? 'started' : 'ended',
      heldBack,
    },
    at: changedAt,
  }
  const reportedAt = what === 'start' || heldBack > 0 ? now : state.reportedAt
  return { ...state, reported: what, reportedAt, heldBack: 0, unsent }
}

function recoveryOf({ name }: AlertState['last']) {
  return { title: `${name} works again.`, remedy: 'Replay the deliveries that failed.' }
}

/** The same for each attempt to report this change of state. */
function messageIdOf(key: string, what: 'start' | 'end', changedAt: number): string {
  const hash = createHash('sha256').update(key).digest('hex').slice(0, 32)
  return `alert-${hash}-${what}-${changedAt}`
}

export function parseStates(stored: ReadonlyMap<string, string>): Map<string, AlertState> {
  return new Map(
    [...stored].flatMap(([key, text]) =>
      key === LAST_BACKUP ? [] : [[key, JSON.parse(text) as AlertState]],
    ),
  )
}

/** The number of starts that were not reported. */
export function heldBackIn(stored: ReadonlyMap<string, string>): number {
  const states = [...parseStates(stored).values()]
  return states.reduce(
    (sum, { isActive, reported, heldBack }) =>
      sum + heldBack + (isActive && reported !== 'start' ? 1 : 0),
    0,
  )
}

/** Whether nothing is left to report: the state may be removed. */
export function isRemovable({ isActive, reportedAt, heldBack, unsent }: AlertState, now: number) {
  return (
    !isActive &&
    unsent === undefined &&
    heldBack === 0 &&
    (reportedAt === null || now - reportedAt >= HOUR_MS)
  )
}

/** Compares two states: the worse one first. */
export function byCondition(a: AlertState, b: AlertState): number {
  return bySeverity(a.condition, b.condition)
}

/** Whether an alert counts against the limit of the last hour. */
export function reportedSince({ reportedAt }: AlertState, from: number): boolean {
  return reportedAt !== null && reportedAt > from
}
