import { countText } from '../util/count-text.ts'
import { createHash } from 'node:crypto'
import { type Destination, formatTimestamp, type JsonObject } from '@hookline/protocol'
import { SUMMARIZED_CHANNELS, LAST_BACKUP } from '../backend/alert-states.ts'
import { labelOf } from '../telemetry/names.ts'
import type { Alert } from './alert-event.ts'
import { bySeverity, type Condition, type ConditionName, CONDITIONS } from './conditions.ts'
import type { Finding } from './findings.ts'

const HOUR_MS = 60 * 60_000

/**
 * The maximum number of alerts an hour, for all subjects together. Alerts beyond it are held back, except those about lost data
 * or low disk space.
 */
const MAX_ALERTS_PER_HOUR = 30
/** The maximum number of alerts an hour, including alerts about lost data. */
const MAX_WITH_LOSSES_PER_HOUR = 60

/**
 * How long these conditions must apply before an alert: a first retry often succeeds, and more refused calls can be counted in the
 * same alert.
 */
const ALERT_DELAY_MS = 15_000
const DELAYED_CONDITIONS: ReadonlySet<ConditionName> = new Set([
  'webhook_failing',
  'calls_refused',
  'write_key_unknown',
  'rate_limit_exceeded',
])

/** The state of the alerts about one condition of one subject. Times are in milliseconds since the epoch. */
export interface AlertState {
  readonly condition: ConditionName
  readonly userId: string
  readonly isActive: boolean
  /** When the condition last became active, grew, or became inactive. */
  readonly changedAt: number
  /** The last reported change; `null` before the first alert. */
  readonly reported: 'start' | 'end' | null
  /** When the last start was reported. */
  readonly reportedAt: number | null
  /** The number of starts since `reportedAt` that were not reported. */
  readonly heldBack: number
  /**
   * Whether the condition ended without a recovery: the destination was deleted or disabled, or the
   * node was removed from the list.
   */
  readonly isRemoved?: boolean
  /**
   * Hashes of the URLs of the webhooks affected at the last start; empty if it was about the whole
   * destination.
   */
  readonly webhooks?: readonly string[]
  /** The findings of the last start, for the event. `details` are sent only with a start. */
  readonly last: Alert['properties'] & {
    readonly name: string
    readonly title: string
    readonly details?: JsonObject
  }
  /**
   * The alert that is being appended to the log. It is stored first, so that a repeated append has
   * the same messageId.
   */
  readonly unsent?: Alert
}

/** A condition that applies now. */
export interface ActiveAlert {
  readonly condition: ConditionName
  readonly userId: string
  readonly properties: AlertState['last']
  /** The texts for each affected webhook, by the hash of its URL. */
  readonly webhooks: ReadonlyMap<string, Pick<Finding, 'title' | 'remedy'> & { host: string }>
}

/** The alerts that apply now, by key: one for each condition of each subject. Links begin with `consoleUrl`. */
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

/**
 * The key of the alert about a finding. Webhooks have their own alerts, except failing webhooks:
 * the results of attempts are counted for the whole destination. All corruption found in the same hour
 * is one alert.
 */
function alertKey({ condition, subject: { kind, id }, detail, url, since }: Finding): string {
  if (condition === 'damage_found' && since !== null)
    return `${condition} ${kind} ${Math.floor(since / HOUR_MS)}`
  const webhook = url === null || condition === 'webhook_failing' ? '' : hashOf(url)
  return `${condition} ${kind} ${id} ${kind === 'destination' ? webhook : detail}`.trimEnd()
}

/**
 * A hash of a text, such as a URL, whose path may be secret and must not be stored or sent in plain
 * text.
 */
function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}

function activeAlert(
  key: string,
  findings: readonly [Finding, ...Finding[]],
  consoleUrl: string,
): ActiveAlert {
  const [first] = findings
  const { condition, subject, title, remedy, since, count, to, details } = first
  const explained = findings.find((each) => each.reason !== undefined)
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
      count: condition === 'damage_found' ? Math.max(count ?? 0, findings.length) : count,
      since: since === null ? null : formatTimestamp(since),
      title: explained === undefined ? title : withReason(first, explained),
      remedy: explained?.remedy ?? remedy,
      link: `${consoleUrl}${to}`,
      details: { ...details, ...explained?.details },
    },
    webhooks: new Map(
      findings.flatMap(({ url: webhook, title: text, remedy: help }) =>
        webhook === null
          ? []
          : [[hashOf(webhook), { title: text, remedy: help, host: new URL(webhook).host }]],
      ),
    ),
  }
}

/** The title with the reason first: devices cut off the end. */
function withReason({ title, label = '' }: Finding, { reason = '', failure }: Finding): string {
  const text = title.slice(label.length).replace(/^: /, '')
  const hint = failure?.status == null ? '' : ' Open the link to see its response.'
  return `${label}: ${reason}${hint} ${text}`
}

/**
 * Why a condition no longer applies. `unknown`: nothing shows that the problem ended, for example
 * after a restart or during a pause, so the state stays active. `removed`: the destination was
 * deleted or disabled, or the node was removed from the list, which is not a recovery.
 */
export type Ending = 'ended' | 'removed' | 'unknown'

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
      : { ...before, isActive: true, isRemoved: false, changedAt: now, last: active.properties }
  if (!before.isActive || ending === 'unknown') return before
  const ended = { ...before, isActive: false, changedAt: now }
  if (ending === 'removed') return { ...ended, isRemoved: true, heldBack: 0 }
  // A start that was held back is counted only if an earlier one was reported, or if data was lost.
  const mustReport =
    before.reportedAt !== null || CONDITIONS[before.condition].severity === 'data_loss'
  const wasHeld =
    mustReport && before.reported !== 'start' && now - before.changedAt >= delayMsOf(before)
  return { ...ended, heldBack: before.heldBack + (wasHeld ? 1 : 0) }
}

function delayMsOf({ condition }: AlertState): number {
  return DELAYED_CONDITIONS.has(condition) ? ALERT_DELAY_MS : 0
}

interface Due {
  readonly now: number
  /** Whether the hourly limits allow one more alert. */
  readonly isAllowed: boolean
  /** Absent while the condition does not apply. */
  readonly active: ActiveAlert | undefined
}

/**
 * The state with the alert that is due at `now`, if any: a start (at most one an hour), its end (once), or, after an hour, growth or the
 * number of starts held back.
 */
export function withDueAlert(key: string, state: AlertState, due: Due): AlertState {
  const { isActive, reported, heldBack, unsent } = state
  if (unsent !== undefined) return state
  if (!isActive && reported === 'start') return withEnd(key, state, due.now)
  const growth = growthOf(state, due.active)
  const isNew = isFresh(state) && due.active !== undefined
  const isWaiting = isActive ? isNew || growth !== undefined : heldBack > 0
  if (!isWaiting || !mayReport(state, due)) return state
  const current = withCurrent(growth === undefined ? state : { ...state, changedAt: due.now }, due)
  const last = growth ?? current.last
  return reporting(key, { ...current, last }, isActive ? 'start' : 'end', due.now)
}

function withCurrent(state: AlertState, { active }: Due): AlertState {
  if (active === undefined) return state
  return { ...state, last: active.properties, webhooks: [...active.webhooks.keys()] }
}

/** Whether the condition applies, and its start has not been reported. */
function isFresh({ isActive, reported }: AlertState): boolean {
  return isActive && reported !== 'start'
}

/** Conditions whose count grows with each new loss. */
const COUNTING: ReadonlySet<ConditionName> = new Set([
  'calls_refused',
  'write_key_unknown',
  'rate_limit_exceeded',
  'deliveries_expired',
  'damage_found',
  'quarantine',
])

/** The findings, if the count has grown or another webhook has failed since the last start. */
function growthOf(
  { condition, reported, last, webhooks: known = [] }: AlertState,
  active: ActiveAlert | undefined,
): AlertState['last'] | undefined {
  if (active === undefined || reported !== 'start') return undefined
  const { properties, webhooks } = active
  if (COUNTING.has(condition) && Number(properties['count']) > Number(last['count']))
    return properties
  // Without hashes, the last alert was about the whole destination. If it has a `host`, the
  // destination had only one webhook, which is not new. Otherwise, the destination had several
  // webhooks, and a failure of any of them is new.
  const areNamed = known.length > 0 || last['host'] === undefined
  const added = [...webhooks.keys()].find((hash) => areNamed && !known.includes(hash))
  return added === undefined ? undefined : { ...properties, ...webhooks.get(added) }
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
  const { condition, userId, changedAt, heldBack, last, isRemoved } = state
  const { events }: Condition = CONDITIONS[condition]
  const recovery = isRemoved === true || what === 'start' ? undefined : events?.end
  const { details, ...properties } = last
  const unsent: Alert = {
    messageId: messageIdOf(key, what, changedAt),
    event: recovery ?? events!.start,
    userId,
    properties: {
      ...properties,
      ...(what === 'start' && details),
      ...(recovery !== undefined && recoveryOf(state)),
      ...(isRemoved === true && removedAlertText(state)),
      state: what === 'start' ? 'started' : 'ended',
      heldBack,
    },
    at: changedAt,
  }
  const reportedAt = what === 'start' || heldBack > 0 ? now : state.reportedAt
  return { ...state, reported: what, reportedAt, heldBack: 0, unsent }
}

/** The title of a recovery alert, from the name of the destination or node. */
const RECOVERIES: Readonly<Partial<Record<ConditionName, (name: string) => string>>> = {
  quarantine: () => 'The quarantine is empty.',
  disk_low: () => 'The data disk has enough free space.',
  webhook_failing: (name) => `${name} is working again.`,
  webhook_paused: (name) => `${name}: the pause of the webhook has ended.`,
  node_lost: (name) => `The node ${name} is responding again.`,
  certificate_expiring: (name) => `${name}: the client certificate was replaced or removed.`,
  backup_old: () => 'A new backup was made.',
}

function recoveryOf({ condition, last: { name, title } }: AlertState) {
  return {
    title: RECOVERIES[condition]?.(labelOf(name)) ?? title,
    remedy:
      condition === 'webhook_failing'
        ? 'Pending deliveries are retried. Replay the rejected and expired ones.'
        : NO_ACTION,
  }
}

/** The text that closes the incident of a removed subject. */
function removedAlertText({ condition, last: { name } }: AlertState) {
  if (condition === 'node_lost')
    return {
      title: `The node ${labelOf(name)} has not responded for 10 minutes, and was removed from the list.`,
      remedy: 'If this node should be running, check its machine and log, and start it again.',
    }
  return { title: `${labelOf(name)} was deleted or disabled.`, remedy: NO_ACTION }
}

const NO_ACTION = 'No action is needed.'

/** The messageId of an alert: the same for each attempt to report this change of state. */
function messageIdOf(key: string, what: 'start' | 'end', changedAt: number): string {
  return `alert-${hashOf(key)}-${what}-${changedAt}`
}

/** Parses the stored states. Skips conditions of a later version, which may have run before a rollback. */
export function parseStates(stored: ReadonlyMap<string, string>): Map<string, AlertState> {
  return new Map(
    [...stored].flatMap(([key, text]) => {
      if (key === LAST_BACKUP || key === SUMMARIZED_CHANNELS) return []
      const state = JSON.parse(text) as AlertState
      return hasEvents(state.condition) ? [[key, state]] : []
    }),
  )
}

function hasEvents(condition: string): boolean {
  const conditions: Readonly<Record<string, Condition>> = CONDITIONS
  return Object.hasOwn(conditions, condition) && conditions[condition]!.events !== null
}

/** Replaces future times with `now`: the clock was set back. */
export function withoutFuture(state: AlertState, now: number): AlertState {
  const { changedAt, reportedAt } = state
  if (changedAt <= now && (reportedAt ?? 0) <= now) return state
  return {
    ...state,
    changedAt: Math.min(changedAt, now),
    reportedAt: reportedAt && Math.min(reportedAt, now),
  }
}

/** The number of starts that were not reported. */
export function heldBackIn(stored: ReadonlyMap<string, string>, now: number): number {
  const states = [...parseStates(stored).values()]
  const isLate = (state: AlertState): boolean =>
    isFresh(state) && now - state.changedAt > ALERT_DELAY_MS
  return states.reduce((sum, state) => sum + state.heldBack + (isLate(state) ? 1 : 0), 0)
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

/** Orders states by urgency: unreported starts first, then by severity. */
export function byUrgency(a: AlertState, b: AlertState): number {
  return Number(isFresh(b)) - Number(isFresh(a)) || bySeverity(a.condition, b.condition)
}

export function wasReportedSince({ reportedAt }: AlertState, from: number): boolean {
  return reportedAt !== null && reportedAt > from
}

/**
 * Whether the hourly limits allow one more alert after `reported` alerts. A full disk stops everything, so the alert about low
 * disk space is exempt.
 */
export function isWithinLimits({ condition }: AlertState, reported: number): boolean {
  const isLoss = CONDITIONS[condition].severity === 'data_loss'
  const max = isLoss ? MAX_WITH_LOSSES_PER_HOUR : MAX_ALERTS_PER_HOUR
  return condition === 'disk_low' || reported < max
}

const MAX_SUMMARIZED = 10

/** One alert about the problems that were reported before these channels were added; `undefined` if there are none. */
export function summaryFor(
  channels: readonly Destination[],
  states: readonly AlertState[],
  { now, consoleUrl }: { readonly now: number; readonly consoleUrl: string },
): Alert | undefined {
  const sorted = states.toSorted((a, b) => bySeverity(a.condition, b.condition))
  const [worst] = sorted
  if (worst === undefined) return undefined
  const titles = sorted.slice(0, MAX_SUMMARIZED).map(({ last }) => `- ${last.title}`)
  const more =
    sorted.length > MAX_SUMMARIZED ? [`- and ${sorted.length - MAX_SUMMARIZED} more`] : []
  const subject = countText(sorted.length, 'problem was', 'problems were')
  const added = channels.map(({ id, version }) => `${id} ${version}`).join()
  return {
    messageId: `alert-summary-${hashOf(added)}`,
    event: 'Current Problems',
    userId: 'hookline',
    properties: {
      key: `current_problems ${hashOf(added)}`,
      condition: 'current_problems',
      severity: CONDITIONS[worst.condition].severity,
      state: 'started',
      name: 'Hookline',
      count: sorted.length,
      since: formatTimestamp(Math.min(...sorted.map(({ changedAt }) => changedAt))),
      title: [
        `${subject} reported before this channel was added or enabled:`,
        ...titles,
        ...more,
      ].join('\n'),
      remedy: 'See the list of problems for the remedies.',
      link: `${consoleUrl}/`,
      heldBack: 0,
    },
    integrations: { All: false, ...Object.fromEntries(channels.map(({ id }) => [id, true])) },
    at: now,
  }
}
